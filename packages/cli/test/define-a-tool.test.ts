import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { agent, queries } from '../../../docs/guides/snippets/code-below.ts'
import typedServices from '../../../docs/guides/snippets/typed-services.ts'
// Only its types: vitest's transform leaves decorators as they are, the loader of configurations lowers them.
import type { Warehouse } from '../../../docs/guides/snippets/class-of-tools.ts'
import { cliHere } from './cli-here.ts'
import { temporaryFolder } from './temporary-folder.ts'

const snippets = fileURLToPath(new URL('../../../docs/guides/snippets/', import.meta.url))

/** Calls a tool of a snippet that is a whole configuration. */
async function callWith(snippet: string, tool: keyof Warehouse): Promise<string> {
  const call = ['tools', 'call', tool, '--args', '{"article": "coffee"}']
  const { out, error } = await cliHere(temporaryFolder(), ['--config', `${snippets}${snippet}`, ...call])
  return `${out}${error}`
}

it('a class of tools is a configuration whose tools can be called', async () => {
  expect(await callWith('class-of-tools.ts', 'count_stock')).toContain('\n12\n')
  expect(await callWith('class-of-tools.ts', 'remove_article')).toContain('needs approval')
})

it('services with types are a configuration whose tool can be called', async () => {
  expect(await callWith('typed-services.ts', 'count_stock')).toContain('\n12\n')
  expect(Object.keys(typedServices)).toContain('agent')
})

it('code deep below a tool knows the call it runs under', async () => {
  expect((await agent.run('Is there enough coffee?')).text).toBe('There are 12.')
  expect(queries).toEqual(['select count from stock where article = ? [coffee] count_stock for ann'])
})
