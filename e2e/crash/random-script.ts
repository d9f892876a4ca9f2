import type { Behaviour } from './ledger.ts'
import type { Script, ScriptedCall } from './order.ts'
import type { Random } from './seeded.ts'

const acting = [
  'read_meter',
  'set_label',
  'set_label_today',
  'book_room',
  'post_row',
  'send_mail',
  'send_mail',
] as const

/** A script of one to three turns with one to four calls each, some of which ask a person, and how the remote behaves. */
export function randomScript(random: Random): { readonly script: Script; readonly behaviours: readonly Behaviour[] } {
  const behaviours: Behaviour[] = []
  let items = 0
  const acts = (often: number): ScriptedCall => {
    const item = `item-${++items}`
    const how = randomHow(random)
    if (how !== null) behaviours.push({ item, how })
    return { name: random.pick(acting), arguments: random.chance(often) ? { item, gated: true } : { item } }
  }
  const odd = (): ScriptedCall => {
    switch (random.below(4)) {
      case 0:
        return { name: 'ask_host', arguments: { item: `item-${++items}` } }
      case 1:
        return { name: 'no_such_tool', arguments: {} }
      case 2:
        return { name: 'send_mail', arguments: { item: 7 } }
      default:
        return { name: 'delegate', arguments: { item: `item-${++items}` } }
    }
  }
  const turns = Array.from({ length: 1 + random.below(3) }, (_, turn) => ({
    text: `Turn ${turn + 1}.`,
    calls: Array.from({ length: 1 + random.below(4) }, () => (random.chance(0.25) ? odd() : acts(0.35))),
  }))
  const inner = Array.from({ length: 1 + random.below(2) }, (_, turn) => ({
    text: `Inner turn ${turn + 1}.`,
    calls: Array.from({ length: 1 + random.below(2) }, () => acts(0.4)),
  }))
  return { script: { turns: [...turns, 'Done.'], inner: [...inner, 'Helped.'] }, behaviours }
}

function randomHow(random: Random): Behaviour['how'] | null {
  if (random.chance(0.5)) return { kind: 'delay', ms: random.below(20) }
  if (random.chance(0.1)) return { kind: 'lose-answer' }
  if (random.chance(0.1)) return { kind: 'refuse' }
  return random.chance(0.1) ? { kind: 'unsure' } : null
}
