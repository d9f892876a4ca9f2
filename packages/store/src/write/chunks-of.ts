/** SQLite takes 32,766 parameters a statement; the widest row has seven. */
const rowsPerStatement = 500

/** Cuts rows into pieces that fit one statement; no rows give no pieces. */
export function chunksOf<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  if (rows.length === 0) return []
  if (rows.length <= rowsPerStatement) return [rows]
  const chunks: (readonly Row[])[] = []
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    chunks.push(rows.slice(from, from + rowsPerStatement))
  return chunks
}
