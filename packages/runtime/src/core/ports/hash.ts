/** SHA-256 of a text, as lower-case hexadecimal. */
export interface Hash {
  sha256(text: string): string
}
