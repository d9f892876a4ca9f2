import { onTestFinished } from 'vitest'
import { startLab } from '../start-lab.ts'

/** One answer over HTTP: status, content type, and the body as text and (where it is JSON) parsed. */
export interface LabAnswer {
  readonly status: number
  readonly contentType: string | null
  readonly text: string
  readonly json: unknown
}

/** Requests to a lab, by GET and by POST form. */
export interface RunningLab {
  readonly prometheusUrl: string
  get(path: string, parameters?: Readonly<Record<string, string>>): Promise<LabAnswer>
  post(path: string, form: Readonly<Record<string, string>>): Promise<LabAnswer>
}

/** Starts a lab on a data folder; it is closed when the running test ends. */
export async function runningLab(dataDirectory: string): Promise<RunningLab> {
  const lab = await startLab({ dataDirectory })
  onTestFinished(() => lab.close())
  return {
    prometheusUrl: lab.prometheusUrl,
    get: async (path, parameters = {}) =>
      answerOf(await fetch(`${baseUrl(lab, path)}${path}?${new URLSearchParams(parameters).toString()}`)),
    post: async (path, form) =>
      answerOf(await fetch(`${baseUrl(lab, path)}${path}`, { method: 'POST', body: new URLSearchParams(form) })),
  }
}

function baseUrl(lab: { readonly prometheusUrl: string; readonly lokiUrl: string }, path: string): string {
  return path.startsWith('/loki/') ? lab.lokiUrl : lab.prometheusUrl
}

async function answerOf(response: Response): Promise<LabAnswer> {
  const text = await response.text()
  const contentType = response.headers.get('content-type')
  const json: unknown = contentType === 'application/json' ? JSON.parse(text) : undefined
  return { status: response.status, contentType, text, json }
}
