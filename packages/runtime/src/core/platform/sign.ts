import { createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA-256 of a text, as base64url. */
export function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** True when the signature is that of the text. Takes as long whether it is or not. */
export function isSignedBy(text: string, signature: string, secret: string): boolean {
  const expected = Buffer.from(sign(text, secret))
  const found = Buffer.from(signature)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
