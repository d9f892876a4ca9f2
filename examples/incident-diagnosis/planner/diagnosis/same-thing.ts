const suffix = /[-_.](?:service|svc|server|client|api|gateway|proxy|db|sdk|worker|backend|app)s?$/i

/** Whether a text speaks of a component: of `x-service` also as `x-client`, `x` or `XClient`. */
export function speaksOf(text: string, component: string): boolean {
  const stem = component.replace(suffix, '')
  const words = (stem.length < 3 ? component : stem).split(/[-_. ]+/).map(escapeForPattern)
  const pattern = new RegExp(`(?<![a-z0-9])${words.join('[-_. ]?')}(?![a-z0-9])`, 'i')
  return pattern.test(text) || pattern.test(splitCamelCase(text))
}

const everydayWord =
  /^(?:non[-_].*|(?:time[-_]outs?|re[-_]tr(?:y|ies|ied)|keep[-_]alive|(?:read|write)[-_]only|built[-_]in|on[-_]call)|.*[-_](?:ids?|ms|keys?|count|size|time|code))$/i

/** The compound names in a text (`x-client`, `XClient`), in order, each once; ordinary words with a hyphen are left out. */
export function componentsIn(text: string): readonly string[] {
  const found = text.match(/[A-Za-z]+(?:[-_][A-Za-z]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+/g) ?? []
  return [...new Set(found)].filter((name) => !everydayWord.test(name))
}

function splitCamelCase(text: string): string {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
