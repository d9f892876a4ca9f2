import { describe, expect, it } from 'vitest'
import { serviceUrl } from './index.ts'

describe('the URL of a real server', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    [' ', undefined],
    ['http://prometheus:9090', 'http://prometheus:9090/'],
    ['https://u:p@host/prefix/', 'https://u:p@host/prefix/'],
  ])('reads %j', (value, expected) => {
    expect(serviceUrl('PROMETHEUS_URL', value)).toBe(expected)
  })

  it.each([
    'prometheus:9090',
    'ftp://u:hunter2@host',
    '//host',
    'http://u:hunter2@host:99999',
    'http://host?token=hunter2',
  ])('names the variable and not the value of %j', (value) => {
    expect(() => serviceUrl('LOKI_URL', value)).toThrow(/^LOKI_URL must be an http or https URL(?!.*hunter2)/)
  })
})
