import { linearPattern } from './linear-pattern.ts'

type KnownFormat = { readonly name: string; readonly examples: readonly string[] }

/** The usual formats of texts: what one is called, and examples, of which the first that fits the pattern is shown. */
const knownFormats: ReadonlyMap<string, KnownFormat> = new Map([
  [
    'date-time',
    {
      name: 'a date-time',
      examples: [
        '2031-01-31T08:00:00Z',
        '2031-01-31T08:00:00.000Z',
        '2031-01-31T08:00Z',
        '2031-01-31T08:00:00+01:00',
        '2031-01-31T08:00:00',
      ],
    },
  ],
  ['date', { name: 'a date', examples: ['2031-01-31'] }],
  ['time', { name: 'a time', examples: ['08:00:00Z', '08:00:00', '08:00'] }],
  ['duration', { name: 'a duration', examples: ['PT30M', 'P1D'] }],
  ['email', { name: 'an email address', examples: ['ann@example.com'] }],
  [
    'uuid',
    {
      name: 'a UUID',
      examples: [
        '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        '01890a5d-ac96-774b-bcce-b302099a8057',
        '1ec9414c-232a-6b00-b3c8-9f6bdeced846',
        'c232ab00-9414-11ec-b3c8-9f6bdeced846',
      ],
    },
  ],
  ['uri', { name: 'a URL', examples: ['https://example.com/path'] }],
  ['hostname', { name: 'a host name', examples: ['example.com'] }],
  ['ipv4', { name: 'an IPv4 address', examples: ['192.0.2.1'] }],
  ['ipv6', { name: 'an IPv6 address', examples: ['2001:db8::1'] }],
  ['cidrv4', { name: 'an IPv4 range', examples: ['192.0.2.0/24'] }],
  ['cidrv6', { name: 'an IPv6 range', examples: ['2001:db8::/32'] }],
  ['base64', { name: 'a base64 text', examples: ['Y29mZmVl'] }],
  ['base64url', { name: 'a base64url text', examples: ['Y29mZmVl'] }],
  ['e164', { name: 'a telephone number', examples: ['+14155550100'] }],
  ['ulid', { name: 'a ULID', examples: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }],
])

const longestPattern = 80

/**
 * What to say of a text that does not match `pattern`: the name of its format and an example that would have passed,
 * where the format is a usual one; else the pattern, cut after 80 characters.
 */
export function patternText(pattern: string, format: unknown): string {
  const characters = Array.from(pattern)
  const shown = characters.length > longestPattern ? `${characters.slice(0, longestPattern).join('')}…` : pattern
  const known = typeof format === 'string' ? knownFormats.get(format) : undefined
  if (known === undefined) return `must match pattern "${shown}"`
  const compiled = linearPattern(pattern)
  const example = known.examples.find((text) => compiled?.test(text) === true)
  return example === undefined
    ? `must be ${known.name} that matches pattern "${shown}"`
    : `must be ${known.name}, for example ${example}`
}
