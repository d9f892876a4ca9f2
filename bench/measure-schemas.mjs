import { hostileSchemas } from './hostile-schemas.mjs'
import { runProgram } from './run-program.mjs'

/** The outcome of every hostile schema. One that stalls for 20 seconds is an outcome too, not an error of the run. */
export async function measureSchemas() {
  const rows = []
  for (const [index, { name }] of hostileSchemas.entries()) {
    try {
      rows.push(await runProgram('check-schema.mjs', [String(index)], 20_000))
    } catch (error) {
      rows.push({ name, outcome: 'failed', because: error.message, ms: null })
    }
  }
  return rows
}
