import { parseArgs } from 'node:util'

const usage = 'usage: npm run bench -- [--json] [--quick] [--rounds N] [--only name,…]'

/** The parts beside the subjects that `--only` can name. */
export const sections = ['deltas', 'commits', 'schemas']

/** How much is measured: a real run, and the short form that only shows that everything works. */
const measures = {
  full: { rounds: 3, budgetMs: 350, warmRuns: 300, warmMs: 1500, leastRuns: 20, heapRuns: 500, deltaRepeats: 40 },
  quick: { rounds: 1, budgetMs: 40, warmRuns: 3, warmMs: 300, leastRuns: 10, heapRuns: 20, deltaRepeats: 5 },
}

/** Reads the command line. `names` is everything that can be measured. Throws a `TypeError` that says what is wrong. */
export function readOptions(argv, names) {
  const { values } = parseArgs({
    args: argv,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const measure = values.quick ? measures.quick : measures.full
  const rounds = values.rounds === undefined ? measure.rounds : Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new TypeError(`--rounds must be a whole number from 1; found ${values.rounds}. ${usage}`)
  }
  const only = values.only === undefined ? null : values.only.split(',')
  const unknown = only?.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`--only knows ${names.join(', ')}; found "${unknown}". ${usage}`)
  return { json: values.json, quick: values.quick, help: values.help, usage, only, measure: { ...measure, rounds } }
}
