/** Names processes that work on runs. */
export interface Workers {
  /** A name for one piece of work of this process, unique by `id`. */
  identity(id: string): string
  /** True only when the process behind a name surely no longer exists. */
  isGone(worker: string): boolean
}
