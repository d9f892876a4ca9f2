import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatBucketBound, formatSampleValue, formatScalarValue } from './format-go-float.ts'

describe('formatSampleValue', () => {
  it.each([
    [0, '0'],
    [-0, '-0'],
    [1, '1'],
    [0.1, '0.1'],
    [-12.5, '-12.5'],
    [0.000001, '0.000001'],
    [0.00000123, '0.00000123'],
    [9.5e-7, '9.5e-07'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [-1.5e300, '-1.5e+300'],
    [5e-324, '5e-324'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ])('writes %d as %s', (value, text) => {
    expect(formatSampleValue(value)).toBe(text)
  })

  it('loses no bit of any number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(formatSampleValue(value))).toBe(value)
        expect(Number(formatScalarValue(value))).toBe(value)
        expect(formatScalarValue(value)).not.toContain('e')
      }),
    )
  })
})

describe('formatBucketBound', () => {
  it.each([
    [1, '1.0'],
    [0, '0.0'],
    [-1, '-1.0'],
    [0.05, '0.05'],
    [10, '10.0'],
    [100000, '100000.0'],
    [1000000, '1e+06'],
    [2500000, '2.5e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [Infinity, '+Inf'],
  ])('writes %d as %s', (value, text) => {
    expect(formatBucketBound(value)).toBe(text)
  })
})
