/** Reads a PromQL number literal the way Go does: underscores between digits, `0x` for hexadecimal, a leading `0` for octal. */
export function parseNumberLiteral(text: string): number {
  const plain = text.replaceAll('_', '')
  return /^0[0-7]+$/.test(plain) ? Number.parseInt(plain, 8) : Number(plain)
}
