import { sayIn, type Language } from '../report/index.ts'
import { formatTime } from '../sources/index.ts'
import { windowOf, type Adaptation } from './adapt-calls.ts'
import type { Outcome } from './conversation.ts'
import { sourceName } from './facts/source-name.ts'

/** Says of every source that was read in another way than wanted what is lacking; failed ones are told elsewhere. */
export function adaptationGaps(
  adaptations: readonly Adaptation[],
  settled: ReadonlyMap<string, Outcome>,
  language: Language,
): readonly string[] {
  const say = sayIn(language)
  return adaptations.flatMap((adaptation) => {
    const id = adaptation.call.id.split(':')[0] ?? ''
    if (settled.get(id)?.kind !== 'success') return []
    const window = adaptation.halvings === 0 ? null : windowOf(adaptation.call)
    const parts = [
      ...(window === null
        ? []
        : [
            say(
              `only ${formatTime(window.start)} to ${formatTime(window.end)} was read, a longer time could not be`,
              `只读取了 ${formatTime(window.start)} 至 ${formatTime(window.end)}，更长的时间无法读取`,
            ),
          ]),
      ...(adaptation.coarsenings === 0
        ? []
        : [
            say(
              `read with one value in ${stepOf(adaptation)} s, finer was too large`,
              `每 ${stepOf(adaptation)} 秒一个数值，更细的结果过大`,
            ),
          ]),
    ]
    const name = sourceName(id, language)
    return [say(`${name}: ${parts.join('; ')}.`, `${name}：${parts.join('；')}。`)]
  })
}

/** The longest step of what was read more coarsely than wanted, in seconds; 0 when nothing was. */
export function coarsestStep(adaptations: readonly Adaptation[]): number {
  return Math.max(0, ...adaptations.filter(({ coarsenings }) => coarsenings > 0).map(stepOf))
}

function stepOf({ call }: Adaptation): number {
  const step = call.arguments['step_seconds']
  return typeof step === 'number' ? step : 0
}
