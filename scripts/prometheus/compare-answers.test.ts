import { describe, expect, it } from 'vitest'
import { compareAnswers } from './compare-answers.ts'

type Row = readonly [metric: Readonly<Record<string, string>>, ...values: (readonly [number, string])[]]

function answer(...rows: readonly Row[]) {
  const result = rows.map(([metric, ...values]) => ({ metric, values }))
  return { status: 200, body: { status: 'success', data: { resultType: 'matrix', result } } }
}

const strict = { tiesMayDiffer: false }
const one = answer([{ a: 'x' }, [1, '0.1'], [2, '+Inf']])

describe('compareAnswers', () => {
  it('finds equal what differs by rounding, order of labels and the spelling of le', () => {
    expect(compareAnswers([one, answer([{ a: 'x' }, [1, '0.10000000000000002'], [2, '+Inf']])], strict)).toBeUndefined()
    const [own, other] = [answer([{ le: '1', b: 'y' }, [1, 'NaN']]), answer([{ b: 'y', le: '1.0' }, [1, 'NaN']])]
    expect(compareAnswers([own, other], strict)).toBeUndefined()
  })

  it.each([
    [answer([{ a: 'x' }, [1, '0.1000001'], [2, '+Inf']]), 'at 1: 0.1 instead of 0.1000001'],
    [answer([{ a: 'x' }, [1, '0.1'], [2, '-Inf']]), 'at 2: Infinity instead of -Infinity'],
    [answer([{ a: 'x' }, [1, '0.1']]), 'at 2: Infinity instead of undefined'],
    [answer([{ a: 'y' }, [1, '0.1'], [2, '+Inf']]), 'only in the lab'],
    [answer([{ a: 'x' }, [1, '0.1'], [2, '+Inf']], [{}, [1, '0']]), '[] only in Prometheus'],
    [{ status: 422, body: { error: 'no' } }, 'status 200'],
  ])('names the difference to %j', (real, words) => {
    expect(compareAnswers([one, real], strict)).toContain(words)
  })

  it('takes two refusals for equal, and two bodies that are no matrix for none', () => {
    expect(
      compareAnswers(
        [
          { status: 422, body: 1 },
          { status: 422, body: 2 },
        ],
        strict,
      ),
    ).toBeUndefined()
    expect(
      compareAnswers(
        [
          { status: 200, body: 1 },
          { status: 200, body: 1 },
        ],
        strict,
      ),
    ).toContain('no matrix')
  })

  it('looks only at the values of each time where ties may differ', () => {
    const [own, other] = [answer([{ a: 'x' }, [1, '5']]), answer([{ a: 'y' }, [1, '5']])]
    expect(compareAnswers([own, other], strict)).toContain('only in')
    expect(compareAnswers([own, other], { tiesMayDiffer: true })).toBeUndefined()
    expect(compareAnswers([own, answer([{ a: 'y' }, [1, '6']])], { tiesMayDiffer: true })).toContain('5 instead of 6')
  })
})
