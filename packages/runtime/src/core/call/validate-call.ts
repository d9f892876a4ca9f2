import type { Tool } from '../tool/tool.ts'
import { authoriseCall } from './authorise-call.ts'
import type { CallRecord } from './call-record.ts'
import type { LiveCall } from './live-call.ts'
import { whenReady } from './maybe-promise.ts'
import { parseArguments, unchecked, type ParsedArguments } from './parse-arguments.ts'
import { answered, reject, rejectUnknown, type Stage } from './stage.ts'
import type { Opened } from './stage-ports.ts'

/** The second stage: arguments that do not fit never get further. What fits goes on to be authorised. */
export function validateCall(call: LiveCall, stage: Stage): Opened | Promise<Opened> {
  const { tool, record } = call
  if (tool === null) return rejectUnknown(call, stage)
  return whenReady(parse(tool, record), (parsed) => {
    if (call.isAnswered) return answered
    if (parsed.kind === 'invalid') return reject(call, { kind: 'invalid-arguments', issues: parsed.issues }, stage)
    call.move('Validated', stage.ports.clock.now(), null, { arguments: parsed.value })
    return authoriseCall(call, stage)
  })
}

function parse(tool: Tool, record: CallRecord): ParsedArguments | Promise<ParsedArguments> {
  try {
    const first = parseArguments(record.rawArguments, tool.input)
    const parsed = tool.behaviour.repair === null ? first : whenReady(first, (known) => repaired(tool, record, known))
    return parsed instanceof Promise ? parsed.catch(() => unchecked) : parsed
  } catch {
    return unchecked
  }
}

/** One try of the tool's own mending; what it gives is judged like the model's text. */
function repaired(tool: Tool, record: CallRecord, first: ParsedArguments): ParsedArguments | Promise<ParsedArguments> {
  const { repair } = tool.behaviour
  if (first.kind === 'valid' || repair === null) return first
  const text = repair({ arguments: record.rawArguments, issues: first.issues })
  return text === null ? first : parseArguments(text, tool.input)
}
