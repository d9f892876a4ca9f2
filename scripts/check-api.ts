// `npm run check:api` compares the reports in api/ with what the doors are now; `npm run api` writes them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeDoors } from './api/describe-doors.ts'
import { firstDifference } from './api/first-difference.ts'
import { publishedDoors } from './api/published-doors.ts'
import { buildPackages } from './build/build-packages.ts'
import { publicPackages } from './package/public-packages.ts'
import { repositoryRoot } from './repository-root.ts'

const folder = join(repositoryRoot, 'api')

if (!buildPackages(repositoryRoot)) process.exit(1)
const reports = new Map(publicPackages(repositoryRoot).flatMap((one) => [...describeDoors(publishedDoors(one))]))
mkdirSync(folder, { recursive: true })
const obsolete = readdirSync(folder).filter((name) => name.endsWith('.api.md') && !reports.has(name))
if (process.argv.includes('--write')) writeReports()
else compareReports()

function writeReports(): void {
  for (const name of obsolete) rmSync(join(folder, name))
  for (const [name, text] of reports) writeFileSync(join(folder, name), text)
  console.log(`wrote the reports of ${reports.size} doors`)
}

function compareReports(): void {
  const differences = [...reports].flatMap(([name, text]) => {
    const file = join(folder, name)
    const difference = firstDifference(existsSync(file) ? readFileSync(file, 'utf8') : '', text)
    return difference === undefined ? [] : [`api/${name}, ${difference}`]
  })
  for (const problem of [...differences, ...obsolete.map((name) => `api/${name}: there is no such door.`)]) {
    console.error(problem)
  }
  if (differences.length + obsolete.length === 0) console.log(`the reports of ${reports.size} doors are up to date`)
  else {
    console.error('The public API changed. When that is meant, run `npm run api` and commit the reports.')
    process.exitCode = 1
  }
}
