import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  FairleadError,
  LoopAgent,
  tool,
  type AgentOptions,
  type CallId,
  type Resolution,
  type ToolList,
} from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

function failureOf(work: () => unknown): { readonly code: string; readonly message: string } {
  try {
    work()
  } catch (error) {
    if (error instanceof FairleadError) return error
    throw error
  }
  throw new Error('expected a FairleadError, nothing was thrown')
}

/** As a program without types writes them. */
const loose = (options: unknown): AgentOptions => options as AgentOptions

describe('options of an agent', () => {
  it.each([
    [{ middlewares: [] }, '"middlewares" is not an option of an agent. Did you mean "middleware"?'],
    [{ tool: [] }, '"tool" is not an option of an agent. Did you mean "tools"?'],
    [{ maxIteration: 3 }, '"maxIteration" is not an option of an agent. Did you mean "maxIterations"?'],
    [{ nothingLikeIt: 1 }, 'Known options: name, model, instructions, tools'],
    [{ instructions: ['Be brief.'] }, 'instructions must be a text; found ["Be brief."]'],
    [{ instructions: 3 }, 'instructions must be a text; found number'],
    [{ name: 3 }, 'name must be a text'],
    [{ store: 'x.db' }, 'store must be a store, for example memoryStore() or sqliteStore({ file })'],
    [{ store: {} }, 'store must be a store'],
    [{ contextProviders: [null] }, 'contextProviders must be a list of {name, beforeRun?, afterRun?}'],
    [{ contextProviders: [{ name: 'p' }] }, 'contextProviders must be a list of'],
    [{ recorder: {} }, 'recorder must be an object with a function record'],
    [{ logger: { info: () => undefined } }, 'logger must be an object with the functions info and warn'],
    [{ approvalMode: 'one' }, 'approvalMode must be one of "all", "oneAtATime"; found "one"'],
  ])('%j is refused, with what to write instead', (options, expected) => {
    const { code, message } = failureOf(() => new Agent(loose(options)))
    expect(code).toBe('INVALID_OPTION')
    expect(message).toContain(expected)
  })

  it('an agent says that it is made of an object of options', () => {
    for (const given of [undefined, null, 'agent']) {
      expect(failureOf(() => new Agent(loose(given)))).toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('new Agent({ model, tools })'),
      })
    }
  })

  it('an unknown word is refused in a changed copy too; one that is undefined is absent', () => {
    const agent = new Agent(loose({ name: 'one', middlewares: undefined }))
    expect(agent.with({ instructions: 'Be brief.' }).name).toBe('one')
    expect(failureOf(() => agent.with(loose({ polcy: {} }))).message).toContain('Did you mean "policy"?')
  })

  it.each([{}, () => 1, { evaluate: () => ({ effect: 'allow', rules: [] }) }, null, 'allow'])(
    'a policy without a function decide is refused: %j',
    (policy) => {
      const { code, message } = failureOf(() => new Agent(loose({ policy })))
      expect(code).toBe('INVALID_OPTION')
      expect(message).toContain('policy must be an object with a function decide')
    },
  )

  it('a policy may be an instance whose decide is inherited', () => {
    class Rules {
      decide() {
        return { effect: 'allow', rules: [] } as const
      }
    }
    expect(new Agent({ policy: new Rules() }).name).toBe('agent')
  })
})

describe('an agent among tools', () => {
  const buyer = new Agent({ name: 'buyer', model: new ScriptedChatClient(['bought']) })
  const loop = new LoopAgent({ agent: buyer, until: () => true })

  it.each<[string, unknown, string]>([
    ['an agent in the list', [buyer], 'tools[0]'],
    ['an agent as the list', buyer, 'tools'],
    ['an agent by name', { buyer }, 'tools.buyer'],
    ['an agent in a toolbox', [{ tools: buyer }], 'tools[0].tools'],
  ])('%s is refused and shown asTool', (_, tools, place) => {
    const { code, message } = failureOf(() => new Agent({ tools: tools as ToolList }))
    expect(code).toBe('INVALID_TOOL')
    expect(message).toContain(`${place} must be a tool`)
    expect(message).toContain('found the agent "buyer". Write agent.asTool({ name, description })')
  })

  it.each<[string, unknown]>([
    ['in the list', [loop]],
    ['as the list', loop],
    ['by name', { loop }],
  ])('a loop %s is refused and shown tool()', (_, tools) => {
    const { code, message } = failureOf(() => new Agent({ tools: tools as ToolList }))
    expect(code).toBe('INVALID_TOOL')
    expect(message).toContain('found an instance of LoopAgent')
    expect(message).toContain('execute: async')
  })

  it('the same holds for the tools of a run', async () => {
    const outer = new Agent({ model: new ScriptedChatClient(['done']) })
    await expect(outer.run('go', { tools: [buyer] as unknown as ToolList })).rejects.toMatchObject({
      code: 'INVALID_TOOL',
      message: expect.stringContaining('run.tools[0] must be a tool'),
    })
  })

  it('an instance without tools is refused as the list as it is inside one', () => {
    class Weather {
      readonly city = 'Bern'
    }
    class Empty {}
    for (const given of [new Weather(), new Empty()]) {
      expect(failureOf(() => new Agent({ tools: given as unknown as ToolList })).message).toContain(
        'without @toolMethod methods',
      )
    }
    expect(new Agent({ tools: {} }).tools()).toEqual([])
  })

  it('an agent without a model cannot be made a tool', () => {
    const { code, message } = failureOf(() => new Agent({ name: 'inner' }).asTool({ name: 'inner' }))
    expect(code).toBe('INVALID_OPTION')
    expect(message).toContain('Agent "inner" has no model')
  })
})

describe('errorCodes of a tool', () => {
  const withCodes = (errorCodes: readonly string[]) =>
    tool({ name: 'find', description: 'Finds.', inputSchema: z.object({}), errorCodes, execute: () => null })

  it.each([['not_found'], ['NotFound'], ['404'], [''], [`A${'B'.repeat(64)}`]])('%j is refused', (code) => {
    const failure = failureOf(() => withCodes(['NOT_FOUND', code]))
    expect(failure.code).toBe('INVALID_TOOL')
    expect(failure.message).toContain('Tool "find": errorCodes must be a list of codes in UPPER_SNAKE')
  })

  it('codes of the form are kept', () => {
    expect(withCodes(['NOT_FOUND', 'E42']).contract.errorCodes).toEqual(['NOT_FOUND', 'E42'])
  })
})

describe('a resolution that is none', () => {
  it.each<[string, unknown, unknown]>([
    ['null', 'call_1_1_0', null],
    ['nothing', 'call_1_1_0', undefined],
    ['an empty object', 'call_1_1_0', {}],
    ['a resolution in the place of the id', { kind: 'done', by: 'ann' }, undefined],
    ['an id that is no text', null, { kind: 'done', by: 'ann' }],
  ])('%s is refused as other wrong resolutions are', async (_, id, resolution) => {
    await expect(new Agent({}).resolveCall(id as CallId, resolution as Resolution)).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
      message: expect.stringContaining('Not a resolution: '),
    })
  })
})
