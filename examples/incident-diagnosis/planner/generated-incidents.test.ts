import { expect, it } from 'vitest'
import { generateIncident, randomIncident, writeIncident, type TroubleParameters } from '../generate/index.ts'
import { faultOf, isWronglyBlamed } from './testing/expected-diagnosis.ts'
import { inFolder } from './testing/test-diagnosis.ts'
import { drive, type Driven } from './testing/test-driver.ts'
import { inventedNumbersOf, wrongNumbersOf } from './testing/test-numbers.ts'

const seed = Number(process.env['INCIDENT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const count = Number(process.env['INCIDENT_COUNT'] ?? 50)
// Far more than a folder takes, since the machine may be busy.
const millisecondsEach = 3000

async function diagnoseGenerated(parameters: TroubleParameters, prompt: string): Promise<Driven> {
  return inFolder(async (dataDirectory) => {
    await writeIncident(dataDirectory, generateIncident(parameters))
    return drive({ dataDirectory, prompt, ticket: 'stop' })
  })
}

it(
  `names the cause of nine in ten of ${count} fresh incidents, and invents nothing`,
  async () => {
    const wrong: string[] = []
    const blamed: string[] = []
    const invented: string[] = []
    let looked = 0
    for (let index = 0; index < count; index++) {
      const parameters = randomIncident(seed, index)
      const { service } = parameters
      // Every second round of all troubles is asked about in Chinese.
      const prompt =
        Math.floor(index / 10) % 2 === 0
          ? `Why is the ${service} service slow?`
          : `${service} 的延迟升高了，帮我分析原因。`
      const driven = await diagnoseGenerated(parameters, prompt)
      const name = `${index} ${parameters.kind} [${parameters.decoys.join(' ')}] -${parameters.missingFiles.join(' ')}`
      const fault = faultOf(driven.report, parameters)
      if (fault !== null) wrong.push(`${name}: ${fault}`)
      if (isWronglyBlamed(driven.report, parameters)) blamed.push(name)
      invented.push(...[...wrongNumbersOf(driven), ...inventedNumbersOf(driven)].map((each) => `${name}: ${each}`))
      looked++
    }
    process.stdout.write(`INCIDENT_SEED=${seed}: ${looked - wrong.length} of ${looked} right\n${wrong.join('\n')}\n`)
    expect(looked).toBeGreaterThanOrEqual(50)
    expect(blamed).toEqual([])
    expect(invented).toEqual([])
    expect(wrong.length).toBeLessThanOrEqual(looked / 10)
  },
  count * millisecondsEach,
)
