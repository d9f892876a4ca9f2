import { request } from 'node:http'
import type { Behaviour, EffectRequest, Ledger } from './ledger.ts'

/** What the remote answered. */
export type Answer = { readonly status: number; readonly body: { readonly [key: string]: unknown } }

/** One request, on a line of its own. `sent` is called when the machine has it, before there is an answer. */
export function ask(
  url: string,
  options: { readonly post?: object; readonly signal?: AbortSignal; readonly sent?: () => void } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      method: options.post === undefined ? 'GET' : 'POST',
      agent: false,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    asking.on('error', reject)
    asking.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => {
        if (response.complete) resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] })
        else reject(new Error('The line was cut.'))
      })
    })
    asking.on('finish', () => options.sent?.())
    asking.end(options.post === undefined ? undefined : JSON.stringify(options.post))
  })
}

/** Everything that happened at a remote so far. */
export async function ledgerOf(remote: string): Promise<Ledger> {
  return (await ask(`${remote}/ledger`)).body as unknown as Ledger
}

/** Tells a remote how to treat items. */
export async function behave(remote: string, behaviours: readonly Behaviour[]): Promise<void> {
  if (behaviours.length > 0) await ask(`${remote}/behaviours`, { post: behaviours })
}

/** Has an effect at the remote. */
export function doAt(
  remote: string,
  effect: EffectRequest,
  options: { readonly signal: AbortSignal; readonly sent: () => void },
): Promise<Answer> {
  return ask(`${remote}/effects`, { post: effect, ...options })
}
