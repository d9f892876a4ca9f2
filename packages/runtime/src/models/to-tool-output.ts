import type { FilePart, FunctionResultPart } from '../core/index.ts'
import type { AiSdkModel, AiSdkOutputItem, AiSdkToolOutput } from './ai-sdk-model.ts'
import { readFileSource } from './read-file-source.ts'

type Item = FunctionResultPart['content'][number]

/**
 * What the provider is told of a call's result: one text or one JSON value as such, several items or a file as
 * `content`, errors marked as errors, a refusal by a person as `execution-denied`. Nothing is added: whether the model
 * hears of the evidence was decided when the result was observed. An error that holds a file loses the mark, because
 * no provider format has both; its text still says what went wrong.
 */
export function toToolOutput(part: FunctionResultPart, version: AiSdkModel['specificationVersion']): AiSdkToolOutput {
  const { content } = part
  const failed = part.status === 'error'
  const hasFile = content.some((item) => item.kind === 'file')
  if (part.errorCode === 'APPROVAL_DENIED' && !hasFile) {
    return { type: 'execution-denied', reason: content.map(textOfItem).join('\n') }
  }
  const [only] = content
  if (content.length === 1 && only?.kind === 'data') {
    return { type: failed ? 'error-json' : 'json', value: only.data }
  }
  if (!hasFile && (failed || content.length <= 1)) {
    return { type: failed ? 'error-text' : 'text', value: content.map(textOfItem).join('\n') }
  }
  return { type: 'content', value: content.map((item) => toOutputItem(item, version)) }
}

function textOfItem(item: Item): string {
  switch (item.kind) {
    case 'text':
      return item.text
    case 'data':
      return JSON.stringify(item.data)
    case 'file':
      return ''
    default:
      return item satisfies never
  }
}

function toOutputItem(item: Item, version: AiSdkModel['specificationVersion']): AiSdkOutputItem {
  if (item.kind !== 'file') return { type: 'text', text: textOfItem(item) }
  return version === 'v4' ? toTaggedFile(item) : toFlatFile(item)
}

function toTaggedFile(part: FilePart): AiSdkOutputItem {
  const source = readFileSource(part)
  if (source.kind === 'none') return { type: 'text', text: source.text }
  return {
    type: 'file',
    mediaType: part.mediaType,
    data: source.kind === 'url' ? { type: 'url', url: source.url } : { type: 'data', data: source.base64 },
    ...(part.name === undefined ? {} : { filename: part.name }),
  }
}

function toFlatFile(part: FilePart): AiSdkOutputItem {
  const source = readFileSource(part)
  if (source.kind === 'none') return { type: 'text', text: source.text }
  const image = part.mediaType.startsWith('image/')
  if (source.kind === 'url') return { type: image ? 'image-url' : 'file-url', url: source.url.href }
  return {
    type: image ? 'image-data' : 'file-data',
    data: source.base64,
    mediaType: part.mediaType,
    ...(part.name === undefined || image ? {} : { filename: part.name }),
  }
}
