import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'

/** What became of reading a file; `refused` says what was found in the place of a file that can be read. */
export type FileReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly found: string }

/** A file that was opened, or what was found in its place. */
type Opening = { readonly kind: 'open'; readonly handle: FileHandle } | Exclude<FileReading, { readonly kind: 'text' }>

/**
 * The UTF-8 text of a regular file of at most `mostBytes`, without its byte order mark. Pipes, devices and folders are
 * refused without waiting for them; nothing past the bound is read, however large the file says it is.
 */
export async function readRegularFile(path: string, mostBytes: number): Promise<FileReading> {
  const opening = await openRegularFile(path, constants.O_RDONLY)
  if (opening.kind !== 'open') return opening
  const { handle } = opening
  try {
    const { size } = await handle.stat()
    if (size > mostBytes) return { kind: 'refused', found: `${size} bytes` }
    const bytes = await readAtMost(handle, mostBytes)
    if (bytes === null) return { kind: 'refused', found: `more than ${mostBytes} bytes` }
    const text = bytes.toString('utf8')
    return { kind: 'text', text: text.startsWith('\uFEFF') ? text.slice(1) : text }
  } catch (error) {
    return refusalOf(error)
  } finally {
    await handle.close()
  }
}

/**
 * Opens a path with the flags of `node:fs` `constants`, if a regular file is there, or nothing and the flags make one.
 * It is looked at before it is opened, since opening a device may do something, and again after, since it may have changed.
 */
export async function openRegularFile(path: string, flags: number): Promise<Opening> {
  try {
    const before = await kindAt(path)
    if (before !== null && before !== 'a file') return { kind: 'refused', found: before }
    // A pipe that came into the place of the file would otherwise be waited for; Windows has no such flag.
    const handle = await open(path, flags | (constants.O_NONBLOCK ?? 0), 0o666)
    if ((await handle.stat()).isFile()) return { kind: 'open', handle }
    await handle.close()
    return { kind: 'refused', found: 'no regular file' }
  } catch (error) {
    return refusalOf(error)
  }
}

async function kindAt(path: string): Promise<string | null> {
  try {
    const found = await stat(path)
    if (found.isFile()) return 'a file'
    if (found.isDirectory()) return 'a folder'
    if (found.isFIFO()) return 'a pipe'
    return found.isSocket() ? 'a socket' : 'a device'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function readAtMost(handle: FileHandle, mostBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null)
    if (bytesRead === 0) return Buffer.concat(chunks)
    length += bytesRead
    if (length > mostBytes) return null
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

const chunkBytes = 1_048_576

function refusalOf(error: unknown): Exclude<FileReading, { readonly kind: 'text' }> {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'missing' } : { kind: 'refused', found: code ?? 'a failure' }
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
