import type { Decoy, Trouble, TroubleParameters } from './incident-parameters.ts'
import { randomFor, type Random } from './random.ts'

const troubles: readonly Trouble[] = [
  'deployment',
  'config-change',
  'flag-change',
  'database-saturation',
  'traffic-surge',
  'cpu-exhaustion',
  'memory-exhaustion',
  'dependency-failure',
  'false-alarm',
  'two-suspects',
]

const decoys: readonly Decoy[] = [
  'deploy-before',
  'deploy-after',
  'bystander-deploy',
  'full-memory',
  'restart-long-ago',
  'noisy-log',
]

/** Parameters drawn for a seed; every tenth in a row has the same trouble. Small folders: few requests, coarse scrapes. */
export function randomIncident(seed: number, index: number): TroubleParameters {
  const random = randomFor(seed, `incident ${index}`)
  const between = (least: number, most: number) => least + (most - least) * random.next()
  const word = () => Array.from({ length: 5 }, () => letter(random)).join('')
  const kind = troubles[index % troubles.length] ?? 'deployment'
  const onset = Math.floor(Date.UTC(2027, 0, 1) / 1000 + random.next() * 3e8)
  const lead = Math.floor(between(22, 32)) * 60
  const id = `${word()}-${Math.floor(between(1, 9999))}`
  return {
    kind,
    seed: Math.floor(random.next() * 2 ** 31),
    service: `${word()}${random.pick(['-service', '-api', '_worker', ''])}`,
    upstream: `${word()}${random.pick(['-service', '-gateway', '-svc'])}`,
    bystander: `${word()}-service`,
    changeIds: { first: id, second: `${id}-flag`, decoy: `${id}x` },
    onset,
    window: { start: onset - lead, end: onset - lead + 3000 },
    alertStatesWindow: random.next() < 0.7,
    baseLatency: between(0.06, 0.4),
    slowdown: between(2.5, 8),
    rampSeconds: Math.floor(between(10, 90)),
    changeLeadSeconds: Math.floor(between(0, 60)),
    requestRate: between(5, 15),
    podCount: Math.floor(between(1, 4)),
    scrapeSeconds: random.pick([30, 60]),
    noise: between(0, 0.08),
    decoys: decoys.filter((decoy) => random.next() < 0.3 && fits(decoy, kind)),
    utcOffsetMinutes: random.pick([0, 330, -480, 120]),
    missingFiles: random.next() < 0.15 ? [random.pick(['pods.json', 'logs.jsonl', 'runbooks'])] : [],
  }
}

/** A near deploy beside a guilty one would make two suspects, which is a trouble of its own. */
function fits(decoy: Decoy, kind: Trouble): boolean {
  const byChange = ['deployment', 'config-change', 'flag-change', 'two-suspects'].includes(kind)
  return !(decoy === 'deploy-before' && byChange) && !(decoy === 'full-memory' && kind === 'memory-exhaustion')
}

function letter(random: Random): string {
  return String.fromCodePoint(97 + Math.floor(random.next() * 26))
}
