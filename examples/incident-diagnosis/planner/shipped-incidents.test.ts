import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { shippedIncidents } from '../generate/index.ts'
import { drive } from './testing/test-driver.ts'
import { inventedNumbersOf, wrongNumbersOf } from './testing/test-numbers.ts'

const causes: Readonly<Record<string, string>> = {
  'deploy-regression': 'deployment',
  'database-saturation': 'database_saturation',
  'traffic-surge': 'traffic_surge',
  'false-alarm': 'no_incident',
}

describe('the shipped folders', () => {
  it.each([...shippedIncidents])('%s is put down to what was made to happen', async (folder, { kind, service }) => {
    const dataDirectory = fileURLToPath(new URL(`../data/${folder}/`, import.meta.url))
    const prompt = `Why did the P95 latency of ${service} rise?`
    const driven = await drive({ dataDirectory, prompt, ticket: 'stop' })
    expect(driven.report?.conclusion.cause).toBe(causes[kind])
    expect(driven.report?.gaps).toEqual([])
    expect(driven.calls.some(({ tool }) => tool === 'create_incident_ticket')).toBe(kind !== 'false-alarm')
    expect([...wrongNumbersOf(driven), ...inventedNumbersOf(driven)]).toEqual([])
  })
})
