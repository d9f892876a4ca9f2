/** Where a request goes, and what proves who asks; the URL holds no user and no password. */
export type RequestTarget = { readonly url: URL; readonly headers: Readonly<Record<string, string>> }

/** Puts an API's path behind a base URL, whose own path is kept and whose user and password become basic authentication. */
export function requestTarget(baseUrl: string, path: string, query: Readonly<Record<string, string>>): RequestTarget {
  const url = new URL(baseUrl)
  const credentials = url.username === '' && url.password === '' ? undefined : `${url.username}:${url.password}`
  url.username = ''
  url.password = ''
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  url.search = new URLSearchParams(query).toString()
  const headers = credentials === undefined ? {} : { authorization: `Basic ${encodeCredentials(credentials)}` }
  return { url, headers }
}

function encodeCredentials(credentials: string): string {
  return Buffer.from(decode(credentials), 'utf8').toString('base64')
}

/** A URL may hold a bare percent sign, which then stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
