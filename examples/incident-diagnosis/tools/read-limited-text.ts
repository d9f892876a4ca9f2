/** The text of a response's body, or `undefined` (and the connection given up) once it is over `limit` bytes. */
export async function readLimitedText(response: Response, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
