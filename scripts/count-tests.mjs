// Prints `N passed, N failed` from vitest's JSON report; fails when nothing ran, something failed or was skipped.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, success } = report
if (skipped > 0) console.error(`${skipped} tests were skipped; none may be.`)
if (passed === 0) console.error('No test ran.')
console.log(`${passed} passed, ${failed} failed`)
process.exit(success && failed === 0 && skipped === 0 && passed > 0 ? 0 : 1)
