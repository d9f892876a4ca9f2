import { Worker } from 'node:worker_threads'
import { thrownError } from '../call/thrown.ts'
import type { InvocationContext } from '../call/invocation-context.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { ToolError } from '../tool/tool-error.ts'

type Message =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'progress'; readonly update: Json }
  | {
      readonly kind: 'threw'
      readonly name: string
      readonly message: string
      readonly coded: { readonly code: string; readonly retryable: boolean; readonly detail: Json } | null
    }

// Runs inside the thread; a text, so that it needs no file and no loader of its own.
const entry = `
const { parentPort, workerData } = require('node:worker_threads');
const context = { ...workerData.context, progress: (update) => parentPort.postMessage({ kind: 'progress', update }) };
import(workerData.module)
  .then((module) => module.default(workerData.args, context))
  .then((value) => parentPort.postMessage({ kind: 'returned', value }))
  .catch((error) => parentPort.postMessage({
    kind: 'threw',
    name: String(error?.name ?? typeof error),
    message: String(error?.message ?? ''),
    coded: error?.name === 'ToolError' ? { code: error.code, retryable: error.retryable === true, detail: error.detail ?? null } : null,
  }));
`

/**
 * Runs a module's default export in a thread of its own: `(args, context) => value`, where the context holds what can
 * be sent (call, run, session, principal, environment, key, attempt, progress). The thread ends with the call, and at
 * once when the call's signal aborts. Arguments and result are structured clones.
 */
export function runInWorker(module: URL, args: JsonObject, context: InvocationContext): Promise<unknown> {
  const worker = new Worker(entry, {
    eval: true,
    workerData: {
      module: module.href,
      args,
      context: {
        call: context.call,
        runId: context.runId,
        session: context.session,
        principal: context.principal,
        environment: context.environment,
        idempotencyKey: context.idempotencyKey,
        attempt: context.attempt,
      },
    },
  })
  return new Promise((resolve, reject) => {
    const { signal } = context
    const stop = (): void => {
      reject(thrownError(signal.reason))
      void worker.terminate()
    }
    const settle = (end: () => void): void => {
      signal.removeEventListener('abort', stop)
      end()
      void worker.terminate()
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    worker.on('message', (message: Message) => {
      switch (message.kind) {
        case 'progress':
          return context.progress(message.update)
        case 'returned':
          return settle(() => resolve(message.value))
        case 'threw':
          return settle(() => reject(errorFrom(message)))
        default:
          return message satisfies never
      }
    })
    worker.on('error', (error) => settle(() => reject(error)))
    worker.on('exit', (code) =>
      settle(() => reject(new Error(`The worker thread ended with code ${code} before it answered.`))),
    )
  })
}

function errorFrom(message: Extract<Message, { kind: 'threw' }>): Error {
  if (message.coded !== null && (isJsonObject(message.coded.detail) || message.coded.detail === null)) {
    const { code, retryable, detail } = message.coded
    return new ToolError(code, message.message, { retryable, detail })
  }
  return Object.assign(new Error(message.message), { name: message.name })
}
