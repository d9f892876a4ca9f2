import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { textAnswer } from './http-answer.ts'
import type { HttpAnswer } from './http-answer.ts'
import { matchPath } from './route.ts'
import type { Route } from './route.ts'

const maximumBodyBytes = 1_000_000

/** A server that listens on 127.0.0.1; `close` may be called more than once and drops open connections. */
export interface RunningServer {
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves routes over HTTP on `port`, 0 for a free one. Neither the server nor its connections keep the process alive.
 * Rejects with a `PortTakenError` when another program listens there.
 */
export async function serveRoutes(routes: readonly Route[], port: number): Promise<RunningServer> {
  const server = createServer((request, response) => {
    answerRequest(routes, request)
      .catch((error: unknown) => textAnswer(500, error instanceof Error ? error.message : String(error)))
      .then((answer) => send(response, answer))
      .catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.unref())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortTakenError(port) : error),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  server.unref()
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected the server to have a port, found none')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        // The callback's error only says that the server was closed before.
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Another program listens on the port. */
class PortTakenError extends Error {
  override readonly name = 'PortTakenError'

  constructor(port: number) {
    super(`Port ${port} of 127.0.0.1 is taken by another program.`)
  }
}

async function answerRequest(routes: readonly Route[], request: IncomingMessage): Promise<HttpAnswer> {
  // Not read as a URL: a target such as //host:99999/ is none, and names a host that is not ours.
  const [path = '', ...query] = (request.url ?? '/').split('?')
  const fitting = routes.flatMap((route) => {
    const name = matchPath(route.path, path)
    return name === undefined ? [] : [{ route, name }]
  })
  if (fitting.length === 0) return textAnswer(404, '404 page not found')
  const chosen = fitting.find(({ route }) => route.methods.some((method) => method === request.method))
  if (chosen === undefined) return textAnswer(405, 'Method Not Allowed')
  const body = request.method === 'POST' ? await readBody(request) : ''
  if (body === undefined) return textAnswer(413, `expected a body of at most ${maximumBodyBytes} bytes, found more`)
  const parameters = new URLSearchParams([...new URLSearchParams(body), ...new URLSearchParams(query.join('?'))])
  return chosen.route.handle({ parameters, name: chosen.name })
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    length += bytes.length
    if (length <= maximumBodyBytes) chunks.push(bytes)
  }
  return length > maximumBodyBytes ? undefined : Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, { status, contentType, body }: HttpAnswer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
