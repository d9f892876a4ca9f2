/** Ids that Fairlead makes anew in every run, as they can stand in a text; the alphabet is that of its ids. */
const idInText =
  /evidence:\/\/\w+\/\w+|\b(?:run|call|session|trace|approval|worker)_[0-9a-hjkmnp-tv-z]{16}(?:_\d+_\d+)?\b/g

const placeholder = /\{\{fairlead id (\d+)\}\}/g

/**
 * Replaces Fairlead's own ids by their place of first appearance in one request and back, so that a request of another
 * run is the same request, and an answer that names such an id names the one of the run it is replayed in.
 */
export class StableIds {
  readonly #ids: string[] = []

  /** Text of the request: every id gets its number. */
  conceal(text: string): string {
    return text.replaceAll(idInText, (id) => {
      const known = this.#ids.indexOf(id)
      return `{{fairlead id ${known === -1 ? this.#ids.push(id) - 1 : known}}}`
    })
  }

  /** Text of the answer: ids of the request become their numbers, others stay. */
  concealKnown(text: string): string {
    return text.replaceAll(idInText, (id) => (this.#ids.includes(id) ? this.conceal(id) : id))
  }

  /** Numbers become the ids of this request. */
  reveal(text: string): string {
    return text.replaceAll(placeholder, (whole, number: string) => this.#ids[Number(number)] ?? whole)
  }
}
