import { FairleadError } from '../fairlead-error.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import type { InvocationContext } from '../call/invocation-context.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { isStandardSchema } from '../schema/standard-schema.ts'
import { tool, type Execute, type InputSchema, type Tool } from './tool.ts'

/** A bare function with a description and a schema as its properties, where it has any. */
export type FunctionTool = ((...args: never[]) => unknown) & {
  readonly description?: string
  readonly inputSchema?: InputSchema
  readonly effects?: 'read' | 'write' | 'destructive'
}

/** A function as a tool: its name, and description and schema from its properties. */
export function fromFunction(source: FunctionTool, at: string): Tool {
  const { name } = source
  if (/^class\b/.test(Function.prototype.toString.call(source))) {
    throw new FairleadError('INVALID_TOOL', `${at} is the class "${name}". List an instance of it: new ${name}(…).`)
  }
  if (source.inputSchema === undefined && source.length > 0) {
    throw new FairleadError(
      'INVALID_TOOL',
      `${at}: the function "${name}" takes ${parameterCount(source)} but says nothing about ${source.length === 1 ? 'it' : 'them'}. ` +
        `Write tool({ name: '${name}', description: '…', inputSchema: z.object({ … }), execute: ${name} }).`,
    )
  }
  return tool({
    name,
    description: source.description ?? name.replaceAll(/[_-]+|(?<=[a-z])(?=[A-Z])/g, ' '),
    inputSchema: source.inputSchema ?? { type: 'object', properties: {}, additionalProperties: false },
    ...(source.effects === undefined ? {} : { effects: source.effects }),
    execute: source as unknown as Execute<unknown>,
  }) as Tool
}

function parameterCount({ length }: FunctionTool): string {
  return length === 1 ? '1 parameter' : `${length} parameters`
}

/** A tool as the AI SDK writes it: the key is its name, options come beside the arguments. Recognised by its shape. */
type AiSdkTool = {
  readonly description?: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly needsApproval?: unknown
  readonly strict?: boolean
  readonly type?: string
  readonly execute?: (args: unknown, options: unknown) => unknown
}

export function isAiSdkTool(value: unknown): value is AiSdkTool {
  return typeof value === 'object' && value !== null && 'inputSchema' in value && !('name' in value)
}

/** An AI SDK `tool()` under the name it is listed by. A streamed result's last value is the result. */
export function fromAiSdkTool(name: string, source: AiSdkTool, at: string): Tool {
  if (source.type === 'provider') {
    throw new FairleadError(
      'INVALID_TOOL',
      `${at} is run by the provider, where Fairlead can neither judge nor stop it. Leave it out of the tools.`,
    )
  }
  const { execute, needsApproval } = source
  return tool({
    name,
    description: source.description ?? name.replaceAll(/[_-]+/g, ' '),
    inputSchema: schemaFrom(source.inputSchema, at),
    ...(source.strict === undefined ? {} : { strict: source.strict }),
    ...(needsApproval === undefined || needsApproval === false ? {} : { needsApproval: approvalFrom(needsApproval) }),
    ...(execute === undefined
      ? {}
      : { execute: (args: unknown, context: InvocationContext) => runAiSdk(execute, args, context) }),
  }) as Tool
}

function approvalFrom(needsApproval: unknown): true | ((call: { readonly arguments: unknown }) => Promise<boolean>) {
  if (typeof needsApproval !== 'function') return true
  const ask = needsApproval as (args: unknown, options: object) => unknown
  return async (call) => (await ask(call.arguments, judgedAlone)) !== false
}

/** Reading what is not known here must not look like reading that there is nothing: it fails, and the call does not run. */
const judgedAlone = Object.defineProperties(
  { messages: [] },
  Object.fromEntries(
    ['toolCallId', 'experimental_context', 'context', 'abortSignal'].map((name) => [
      name,
      {
        enumerable: true,
        get(): never {
          throw new FairleadError(
            'INVALID_TOOL',
            `needsApproval of an AI SDK tool reads "${name}", which is not known when a call is judged. Write it as a policy, or as a tool of Fairlead's.`,
          )
        },
      },
    ]),
  ),
)

/** The SDK's `jsonSchema()` holds the schema under a name; other schemas are Standard Schemas or plain. */
function schemaFrom(schema: unknown, at: string): InputSchema {
  if (isStandardSchema(schema) && schema['~standard'].jsonSchema !== undefined) return schema
  if (typeof schema === 'object' && schema !== null && 'jsonSchema' in schema) {
    const { jsonSchema } = schema
    if (isJsonObject(jsonSchema) && !('then' in jsonSchema)) return jsonSchema as JsonSchema
    throw new FairleadError(
      'INVALID_SCHEMA',
      `${at}: its schema is loaded later. Load it first and pass the JSON Schema.`,
    )
  }
  // Checked by `tool`, which says what it expected.
  return schema as InputSchema
}

async function runAiSdk(
  execute: NonNullable<AiSdkTool['execute']>,
  args: unknown,
  context: InvocationContext,
): Promise<unknown> {
  const result = await execute(args, {
    toolCallId: context.call.providerCallId,
    messages: [],
    abortSignal: context.signal,
    // Version 6 reads the first, version 7 the second.
    experimental_context: context.services,
    context: context.services,
  })
  if (!isAsyncIterable(result)) return result
  let last: unknown = null
  for await (const value of result) {
    last = value
    if (isJsonObject(value) || typeof value === 'string') context.progress(value as Json)
  }
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
