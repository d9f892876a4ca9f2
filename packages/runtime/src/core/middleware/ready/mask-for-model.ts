import type { ResultItem } from '../../ports/labels.ts'
import { madeResult, type CallResult } from '../call-result.ts'
import { functionMiddleware } from '../middleware.ts'
import type { FunctionMiddlewareStep } from '../middleware-step.ts'
import { maskJson } from './mask-json.ts'
import { textMask } from './mask-text.ts'
import { card, email, iban, phone, type PersonalData } from './personal-data.ts'

const known = { email, iban, card, phone }

export type MaskForModelOptions = {
  /** Which of the known kinds are masked. Default: all four. */
  readonly mask?: readonly ('email' | 'iban' | 'card' | 'phone')[]
  /** Further kinds by name; what is found becomes `[name]`. They see any text: write patterns that take linear time. */
  readonly patterns?: { readonly [name: string]: RegExp }
}

/**
 * Masks personal data in every result before the model sees it: e-mail addresses, IBANs (by check sum), cards (Luhn),
 * phone numbers, and kinds of your own; in texts, and in every string, whole number and key of data. The evidence keeps
 * the tool's own result. A guard: what could not be masked is not shown, and the run stops. Put it outermost. Results that
 * a host gives itself for declaration-only tools are masked, too. Not masked: encoded or spelled out data, what files hold.
 */
export function maskForModel(options: MaskForModelOptions = {}): FunctionMiddlewareStep {
  const own = Object.entries(options.patterns ?? {}).map(([name, pattern]): PersonalData => ({ name, pattern }))
  const mask = textMask([...own, ...(options.mask ?? (['email', 'iban', 'card', 'phone'] as const)).map(kindOf)])
  return functionMiddleware(
    async (context, next) => {
      await next()
      const { result } = context
      if (result === undefined) return
      const masked = maskResult(result, mask)
      // Setting a result names this piece in the journal: only where it did something.
      if (masked !== result) context.result = masked
    },
    { name: 'maskForModel', guard: true },
  )
}

type Mask = (text: string) => string

function kindOf(name: keyof typeof known): PersonalData {
  return known[name]
}

function maskResult(result: CallResult, mask: Mask): CallResult {
  const data = maskJson(result.data, mask)
  const summary = result.summary === null ? null : mask(result.summary)
  const items = result.items.map((item) => maskItem(item, mask))
  const isSame =
    data === result.data && summary === result.summary && items.every((item, index) => item === result.items[index])
  if (isSame) return result
  const { status, errorCode, retryable } = result
  return madeResult({ status, errorCode, retryable, data, summary, items })
}

function maskItem(item: ResultItem, mask: Mask): ResultItem {
  switch (item.kind) {
    case 'text': {
      const text = mask(item.text)
      return text === item.text ? item : { ...item, text }
    }
    case 'data': {
      const data = maskJson(item.data, mask)
      return data === item.data ? item : { ...item, data }
    }
    case 'file': {
      const name = item.name === undefined ? undefined : mask(item.name)
      return name === undefined || name === item.name ? item : { ...item, name }
    }
    default:
      return item satisfies never
  }
}
