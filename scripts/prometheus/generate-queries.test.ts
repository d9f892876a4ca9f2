import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startLab } from '../../examples/incident-diagnosis/lab/index.ts'
import { repositoryRoot } from '../repository-root.ts'
import { generateQueries } from './generate-queries.ts'
import { askRange } from './range-query.ts'
import { readMetricsShape } from './read-metrics-shape.ts'

const dataDirectory = join(repositoryRoot, 'examples/incident-diagnosis/data/order-service')
const shape = readMetricsShape(readFileSync(join(dataDirectory, 'metrics.om'), 'utf8'))

it('writes the same queries for a seed, and others for another', () => {
  const queries = generateQueries(shape, { seed: 3, count: 40 })
  expect(generateQueries(shape, { seed: 3, count: 40 })).toEqual(queries)
  expect(generateQueries(shape, { seed: 4, count: 40 })).not.toEqual(queries)
})

it('writes queries over everything the lab supports, most of which find something', async () => {
  const lab = await startLab({ dataDirectory })
  const queries = generateQueries(shape, { seed: 3, count: 120 })
  try {
    const answers = await Promise.all(queries.map((query) => askRange(lab.prometheusUrl, query)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(answers.filter(({ body }) => JSON.stringify(body).includes('"metric"')).length).toBeGreaterThan(80)
  } finally {
    await lab.close()
  }
  const all = queries.map(({ promql }) => promql).join('\n')
  const words =
    'rate( increase( sum avg min max topk bottomk histogram_quantile( offset by without bool == != >= % ^ =~ !~'
  expect(words.split(' ').filter((word) => !all.includes(word))).toEqual([])
})
