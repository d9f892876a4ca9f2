// `npm run check:prometheus`: compares the example's lab with a real Prometheus over the same data. Where no binary can be had it
// says why and ends well; `--install` (or CI=true) lets it fetch Debian's package into a temporary folder.
import { checkPrometheus } from './prometheus/check-prometheus.ts'

process.exitCode = await checkPrometheus({
  mayFetch: process.argv.includes('--install') || process.env['CI'] === 'true',
  seed: Number(process.env['FAIRLEAD_SEED'] ?? Math.trunc(Math.random() * 2 ** 31)),
})
