import { expect, it } from 'vitest'
import { isPackedExampleFile } from './packed-example-file.ts'

it.each([
  'fairlead.config.ts',
  'package.json',
  'README.md',
  'tools/index.ts',
  'planner/series/series.ts',
  'data/order-service/metrics.om',
  'data/order-service/runbooks/traffic-surge.md',
])('packs %s', (path) => expect(isPackedExampleFile(path)).toBe(true))

it.each([
  'fairlead.config.test.ts',
  'tools/ticket-book.test.ts',
  'planner/testing/test-driver.ts',
  'generate/index.ts',
  'node_modules/zod/index.js',
  'tsconfig.json',
  '.fairlead/fairlead.db',
  'data/.DS_Store',
])('leaves out %s', (path) => expect(isPackedExampleFile(path)).toBe(false))
