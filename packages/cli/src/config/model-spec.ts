import { usageFailure } from '../exit.ts'

/** A model named on the command line. */
export type ModelSpec =
  | { readonly kind: 'openai' | 'anthropic' | 'google'; readonly model: string }
  | { readonly kind: 'openai-compatible'; readonly url: string; readonly model: string }

/** The forms `--model` takes, for help and errors. */
export const modelForms = 'openai:NAME, anthropic:NAME, google:NAME or openai-compatible:URL:NAME'

/** Reads `--model`. The name after an address begins at its last colon. Throws a usage failure for any other form. */
export function parseModelSpec(text: string): ModelSpec {
  const [provider = '', ...rest] = text.split(':')
  const model = rest.join(':')
  switch (provider) {
    case 'openai':
    case 'anthropic':
    case 'google':
      if (model !== '') return { kind: provider, model }
      break
    case 'openai-compatible': {
      const at = model.lastIndexOf(':')
      const [url, name] = [model.slice(0, at), model.slice(at + 1)]
      if (/^https?:\/\/[^/]/.test(url) && name !== '' && !name.startsWith('//'))
        return { kind: provider, url, model: name }
      break
    }
    default:
      break
  }
  throw usageFailure(`--model takes ${modelForms}; found ${JSON.stringify(text)}.`)
}
