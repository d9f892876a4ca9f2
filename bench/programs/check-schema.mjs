// Defines a tool with one hostile schema, named by its index, and makes the first check: cold, in a process of its own.
import { FairleadError, tool } from '@fairlead/runtime/core'
import { hostileSchemas } from '../hostile-schemas.mjs'
import { answer } from '../program-answer.mjs'

const hostile = hostileSchemas[Number(process.argv[2])]
// The compiler's own first use is everybody's cost, not the schema's.
await check({ type: 'object', properties: { text: { type: 'string', pattern: '^x' } } }, { text: 'x' })

const at = performance.now()
const outcome = await check(hostile.schema, structuredClone(hostile.args))
const ms = performance.now() - at
answer({ name: hostile.name, ...outcome, ms: Number(ms.toFixed(1)) })

async function check(inputSchema, args) {
  try {
    const defined = tool({ name: 'hostile', description: 'hostile', inputSchema, execute: () => null })
    const verdict = await defined.input.check(args)
    return { outcome: 'accepted', firstCheck: verdict.kind }
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error
    return { outcome: 'refused', code: error.code, because: error.message.slice(0, 160) }
  }
}
