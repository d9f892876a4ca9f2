// The remote of the crash tests: a process of its own, on loopback, that outlives the workers and remembers every effect.
// Each ledger has a name, the first part of the path. Prints its port.
//   POST /NAME/effects       does something             GET /NAME/effects/KEY   says what became of a key
//   POST /NAME/behaviours    is told how to behave      GET /NAME/ledger        tells everything
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { itemOf, type Behaviour, type Effect, type EffectRequest, type Ledger } from '../ledger.ts'

type Book = {
  effects: Effect[]
  received: EffectRequest[]
  asked: string[]
  behaviours: Map<string, Behaviour['how']>
}

const books = new Map<string, Book>()

function bookOf(name: string): Book {
  const known = books.get(name) ?? { effects: [], received: [], asked: [], behaviours: new Map() }
  books.set(name, known)
  return known
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function doIt(book: Book, request: EffectRequest, response: ServerResponse): Promise<void> {
  book.received.push(request)
  const how = book.behaviours.get(itemOf(request.arguments))
  if (how?.kind === 'refuse') return say(response, 503, { error: 'not now' })
  if (how?.kind === 'hang' && how.when === 'before') return
  if (how?.kind === 'delay') await sleep(how.ms)
  const known = request.honoursKey ? book.effects.find((effect) => effect.key === request.key) : undefined
  const effect = known ?? { ...request, number: book.effects.length + 1, at: Date.now() }
  if (known === undefined) book.effects.push(effect)
  if (how?.kind === 'hang') return
  if (how?.kind === 'lose-answer') {
    response.destroy()
    return
  }
  say(response, 200, { number: effect.number })
}

function tellOf(book: Book, key: string, response: ServerResponse): void {
  book.asked.push(key)
  const effect = book.effects.find((one) => one.key === key)
  const request = book.received.find((one) => one.key === key)
  const how = book.behaviours.get(itemOf(request?.arguments))
  if (how?.kind === 'unsure') return say(response, 200, { state: 'unsure' })
  say(response, 200, effect === undefined ? { state: 'absent' } : { state: 'done', number: effect.number })
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, name = '', what = '', key = ''] = (request.url ?? '').split('/')
  const book = bookOf(name)
  const body = request.method === 'POST' ? await bodyOf(request) : null
  switch (`${request.method} ${what}`) {
    case 'POST effects':
      return doIt(book, body as EffectRequest, response)
    case 'GET effects':
      return tellOf(book, decodeURIComponent(key), response)
    case 'POST behaviours':
      for (const { item, how } of body as readonly Behaviour[]) book.behaviours.set(item, how)
      return say(response, 200, {})
    case 'GET ledger': {
      const { effects, received, asked } = book
      return say(response, 200, { effects, received, asked } satisfies Ledger)
    }
    default:
      say(response, 404, { error: 'no such page' })
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
// Ends with whoever started it.
process.stdin.on('end', () => process.exit(0)).resume()
