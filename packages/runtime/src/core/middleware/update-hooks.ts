import type { RunUpdate } from '../loop/run-update.ts'
import type { RunUpdates } from './agent-context.ts'

type Hook =
  | { readonly kind: 'map'; readonly run: (update: RunUpdate) => RunUpdate | undefined }
  | { readonly kind: 'tap'; readonly run: (update: RunUpdate) => void }

/** What agent middleware registered on the updates of a run: the innermost piece's hooks come first. */
export class UpdateHooks {
  readonly #hooks: Hook[][] = []
  readonly #endings: (() => void)[] = []
  #changed: () => void

  /** `changed` is called when the first hook is there. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  of(index: number, mayRegister: (what: string) => void): RunUpdates {
    const own: Hook[] = (this.#hooks[index] ??= [])
    const register = (hook: Hook): void => {
      mayRegister(`stream.${hook.kind}`)
      own.push(hook)
      this.#changed()
    }
    return {
      map: (run) => register({ kind: 'map', run }),
      tap: (run) => register({ kind: 'tap', run }),
      onEnd: (run) => {
        mayRegister('stream.onEnd')
        this.#endings.push(run)
      },
    }
  }

  apply(update: RunUpdate): RunUpdate | undefined {
    let told: RunUpdate | undefined = update
    for (let index = this.#hooks.length - 1; index >= 0; index--) {
      for (const hook of this.#hooks[index] ?? []) {
        if (hook.kind === 'tap') hook.run(told)
        else told = hook.run(told)
        if (told === undefined) return undefined
      }
    }
    return told
  }

  /** Tells that the run has stopped; gives back what the hooks threw. */
  end(): readonly unknown[] {
    const thrown: unknown[] = []
    for (const ending of this.#endings) {
      try {
        ending()
      } catch (error) {
        thrown.push(error)
      }
    }
    return thrown
  }
}
