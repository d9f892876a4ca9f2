import { readWindow } from './read-window.ts'
import type { StatedWindow } from './stated-window.ts'

/**
 * What a prompt asks for: names that may be the service, best first, those of them that can hardly be anything else,
 * words that are odd enough to be one where nothing else is, and a window when it states one.
 */
export type Intent = {
  readonly services: readonly string[]
  readonly certain: readonly string[]
  readonly odd: readonly string[]
  readonly window: StatedWindow | null
}

const name = String.raw`[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*`
const compound = String.raw`[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)+`

const labelled = new RegExp(String.raw`\bservice\s*[:=]\s*["'\x60]?(${name})`, 'gi')
const titled = new RegExp(String.raw`\b(?:the|our)\s+(${name})\s+(?:service|api|app|backend)\b`, 'gi')
/** A name in Chinese words: before a particle, a state or a measure, or after a word that asks. */
const chinese = new RegExp(
  String.raw`(?<![A-Za-z0-9_.-])(${name})(?=\s*(?:服务|的|为什么|为何|变慢|很慢|延迟|错误|报错|告警|不可用|怎么|出现|发生|今天|最近))`,
  'g',
)
/** Ways a service is named, surest first. Each finds the name in its first group. */
const phrasings: readonly RegExp[] = [
  labelled,
  new RegExp(String.raw`["'\x60“](${name})["'\x60”]`, 'g'),
  new RegExp(String.raw`(?<![\p{Script=Latin}\p{N}_.\-])(${compound})(?![\p{Script=Latin}\p{N}_\-])`, 'gu'),
  titled,
  // Between quotes any name is taken as it stands.
  /["'\x60“]([^\s"'\x60“”]{1,200})["'\x60”]/g,
  chinese,
  new RegExp(String.raw`\b(?:service|app)\s+(${name})`, 'gi'),
  new RegExp(String.raw`\b(?:of|for|in|on|with)\s+(?:the\s+|our\s+)?(${name})`, 'gi'),
  new RegExp(
    String.raw`\b(?:is|was|are)\s+(?:the\s+)?(${name})\s+(?:so\s+)?(?:slow|slower|failing|down|broken|degraded|unhealthy|erroring|returning|timing)\b`,
    'gi',
  ),
  new RegExp(String.raw`\b(${name})['’]s\b`, 'gi'),
  new RegExp(
    String.raw`\b(${name})\s+(?:is|was|has|got|went|became|seems|looks|keeps|started|latency|p9\d|p50|errors?)\b`,
    'gi',
  ),
  /["\x60“]([^"\x60“”\n]{1,200})["\x60”]/g,
]

/** A word that holds more than plain letters, digits and what joins them, such as `支付服务` or `billing/eu`. */
const oddWord = /[^\s"'\x60“”‘’?？!！,，;；.。:：()（）]+/gu

const notAService = new Set(
  `a all an any are at average be been before but by cause causes common cpu did do does down error errors every everything anything
  find from had has have help high how i in increase increased incident investigate is it its jump jumped last latency like look me memory minutes mine more
  most my no of off on on-call one or our p50 p90 p95 p99 past please possible post-mortem production qps rate real-time reason reasons
  request requests response root root-cause seconds service services slow slower so some something spike that the their there these they
  this time to today up up-to-date us utc was we went what when where which why with yesterday you your problem problems e.g i.e hours
  hour minute traffic`.split(/\s+/),
)

const serviceLike = /[-_.](?:service|svc|api|app|server|worker|gateway|backend|frontend|proxy|consumer)$/i

/** Reads an English or Chinese prompt, or any other that writes the service's name in Latin letters or between quotes. Never guesses a name that is not in the text. */
export function readPrompt(text: string): Intent {
  const found = namesIn(text, phrasings)
  const services = [
    ...found.filter((each) => serviceLike.test(each)),
    ...found.filter((each) => !serviceLike.test(each)),
  ]
  const certain = [
    ...new Set([...found.filter((each) => serviceLike.test(each)), ...namesIn(text, [labelled, titled])]),
  ]
  const words = text.match(oddWord) ?? []
  const odd = words.filter((word) => /\p{L}/u.test(word) && /[^A-Za-z0-9_-]/.test(word))
  return { services, certain, odd, window: readWindow(text) }
}

function namesIn(text: string, patterns: readonly RegExp[]): readonly string[] {
  const names = patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, found]) => found ?? ''))
  const usable = names.filter(
    (each) => /\p{L}|\p{N}/u.test(each) && !notAService.has(each.toLowerCase()) && !/^p\d\d?$/i.test(each),
  )
  return [...new Set(usable)]
}
