/** One kind of personal data in a text. */
export type PersonalData = {
  readonly name: string
  readonly pattern: RegExp
  /** A text without this has nothing to find. */
  readonly sign?: string
  /** How much of what was found is really meant; 0 when it is something else. Default: all of it. */
  readonly lengthOf?: (found: string) => number
}

/** Repeats are bounded everywhere: what a tool gives may be long and ill-meant. */
export const email: PersonalData = {
  name: 'email',
  sign: '@',
  pattern: /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/u,
}

/** By its check sum. */
export const iban: PersonalData = {
  name: 'iban',
  pattern: /(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[- \u00a0\u202f]?[A-Z0-9]){11,30}/i,
  lengthOf: (found) => validStart(found, 15, passesIbanCheck),
}

/** 13 to 19 digits that begin as a card's do and pass Luhn's check; not the decimals of a number. */
export const card: PersonalData = {
  name: 'card',
  pattern: /(?<!\d|\d\.)(?:2[2-7]|[3-6]\d)(?:[- \u00a0\u202f]?\d){11,17}(?!\d)/,
  lengthOf: (found) => validStart(found, 13, passesLuhn),
}

/** International (+ or 00), with an area code in brackets or from 0, or as 555-123-4567. Digits alone are no number. */
const phoneForms = [
  /(?:\+|00)[1-9](?:[-()./ \u00a0\u202f]{0,3}\d){6,14}/,
  /\(\d{2,5}\)[ \u00a0\u202f]?\d(?:[-./ \u00a0\u202f]?\d){5,9}/,
  /0\d{2,4}[-/ \u00a0\u202f]\d{3,8}(?:[-/ \u00a0\u202f]?\d{2,5}){0,3}/,
  /0\d(?:[. \u00a0\u202f]\d{2}){4}/,
  /\d{3}[-.]\d{3}[-.]\d{4}/,
]

export const phone: PersonalData = {
  name: 'phone',
  pattern: new RegExp(`(?<![\\w.:+-])(?:${phoneForms.map(({ source }) => source).join('|')})(?!\\d)`),
  lengthOf: (found) => (found.replaceAll(/\D/g, '').length >= 7 ? found.length : 0),
}

/** The longest start of `found` that is valid and ends where a group ends: what follows may be the next word. */
function validStart(found: string, least: number, isValid: (compact: string) => boolean): number {
  for (let end = found.length; end >= least; end--) {
    if (!isGroupEnd(found, end)) continue
    const compact = found.slice(0, end).replaceAll(/[^A-Za-z0-9]/g, '')
    if (compact.length < least) return 0
    if (isValid(compact)) return end
  }
  return 0
}

function isGroupEnd(text: string, end: number): boolean {
  return /[A-Za-z0-9]/.test(text.charAt(end - 1)) && !/[A-Za-z0-9]/.test(text.charAt(end))
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits.charAt(digits.length - 1 - place)) * (place % 2 === 0 ? 1 : 2)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

function passesIbanCheck(compact: string): boolean {
  let rest = 0
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
