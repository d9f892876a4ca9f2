import { describe, expect, it } from 'vitest'
import { readPrompt } from './read-prompt.ts'
import { placementOf, placeWindow } from './place-window.ts'
import { readWindow } from './read-window.ts'

const at = (text: string) => Date.parse(text) / 1000

describe('the service of a prompt', () => {
  it.each([
    ['shop-api P95 latency went from 200ms to 2s, help me find possible causes', 'shop-api'],
    ['Please analyse why the error rate of `checkout` jumped', 'checkout'],
    ['the P95 latency of checkout rose', 'checkout'],
    ['the checkout service is slow', 'checkout'],
    ['why is checkout slow?', 'checkout'],
    ["What is wrong with checkout's latency", 'checkout'],
    ['service: checkout, window 10:00-11:00', 'checkout'],
    ['On-call here: cart_worker has errors since 2031-02-03T10:00:00Z', 'cart_worker'],
    ['A follow-up on stock-service please', 'stock-service'],
    ['shop-api 的 P95 延迟从 200ms 升到 2s，帮我分析可能原因。', 'shop-api'],
    ['Shop.Basket.Api is down', 'Shop.Basket.Api'],
    ['pod a of order2-service restarts (5xx up, p99 is bad)', 'order2-service'],
  ])('in %j is %s', (prompt, service) => {
    expect(readPrompt(prompt).services[0]).toBe(service)
  })

  it.each([
    'Why is everything slow?',
    'P95 went from 200ms to 2s',
    '',
    'help',
    'What happened between 10:00 and 11:00?',
  ])('in %j is not named', (prompt) => {
    expect(readPrompt(prompt).services).toEqual([])
  })
})

describe('the window of a prompt', () => {
  it.each([
    ['from 2031-02-03T10:00:00Z to 2031-02-03T12:30:00+02:00', '2031-02-03T10:00:00Z', '2031-02-03T10:30:00Z'],
    ['on 2031-02-03 between 10:00 and 11:15', '2031-02-03T10:00:00Z', '2031-02-03T11:15:00Z'],
    ['2031-02-03 10:00–11:15 UTC', '2031-02-03T10:00:00Z', '2031-02-03T11:15:00Z'],
    ['2031-02-03 10:00-11:15 +02:00', '2031-02-03T08:00:00Z', '2031-02-03T09:15:00Z'],
    ['2031-02-03 23:30 to 00:30', '2031-02-03T23:30:00Z', '2031-02-04T00:30:00Z'],
    ['2031-02-03 23:00-24:00', '2031-02-03T23:00:00Z', '2031-02-04T00:00:00Z'],
    ['2031-02-03 10:00 to 2031-02-05 11:00', '2031-02-03T10:00:00Z', '2031-02-05T11:00:00Z'],
  ])('%s is complete', (prompt, start, end) => {
    expect(readWindow(prompt)).toEqual({ kind: 'absolute', start: at(start), end: at(end) })
  })

  it.each(['10:00–11:15', 'between 10:00Z and 11:15Z', 'from 10:00 to 11:15 UTC', '10:00 ~ 11:15'])(
    '%s has times of day',
    (prompt) => {
      expect(readWindow(prompt)).toMatchObject({ kind: 'clock', start: 36_000, end: 40_500 })
    },
  )

  it.each([
    ['in the last 45 minutes', 2700],
    ['over the past 2 hours', 7200],
    ['in the last hour', 3600],
    ['the last 1.5 hours', 5400],
    ['the last 2 days', 172_800],
  ])('%s has a length', (prompt, seconds) => {
    expect(readWindow(prompt)).toMatchObject({ kind: 'recent', seconds })
  })

  it.each(['P95 went from 200ms to 2s', 'version 10:00', 'since 10:00', 'since 2031-02-03T10:00:00Z'])(
    '%s has none',
    (prompt) => {
      expect(readWindow(prompt)).toBeNull()
    },
  )

  it.each([
    ['slow 25:00-26:00', '25:00-26:00', '25:00 is no time of day'],
    ['from 10:00 to 10:75', '10:00 to 10:75', '10:75 is no time of day'],
    ['11:00-10:00', '11:00-10:00', 'it ends before it starts'],
    ['on 2031-02-03 between 11:00 and 10:00', '11:00 and 10:00', 'it ends before it starts'],
    ['2031-02-03 10:00 to 2031-02-02 11:00', '2031-02-03 10:00 to 2031-02-02 11:00', 'it ends before it starts'],
    ['10:00-10:00', '10:00-10:00', 'it has no length'],
    ['2031-02-30 10:00-11:00', '2031-02-30 10:00-11:00', 'there is no day 2031-02-30'],
    [
      '2031-02-03T11:00:00Z … 2031-02-03T10:00:00Z',
      '2031-02-03T11:00:00Z to 2031-02-03T10:00:00Z',
      'it ends before it starts',
    ],
    ['2031-02-03T10:00:00Z to 2031-02-03T25:00:00Z', '2031-02-03T25:00:00Z', 'there is no such time'],
    ['2031-02-03T10:00Z to 2041-02-03T10:00Z', '2031-02-03T10:00Z to 2041-02-03T10:00Z', 'it is longer than a year'],
    ['last 0 minutes', 'last 0 minutes', 'it has no length'],
    ['last 99999999999999 hours', 'last 99999999999999 hours', 'it is longer than a year'],
    ['from 10am to 11 am', '10am to 11 am', 'times are read in the 24-hour form only'],
  ])('%s is invalid', (prompt, words, problem) => {
    expect(readWindow(prompt)).toEqual({ kind: 'invalid', words, problem })
  })

  const alert = {
    startedAt: at('2031-02-03T00:10:00Z'),
    window: { start: at('2031-02-02T23:40:00Z'), end: at('2031-02-03T00:40:00Z') },
  }

  it('lies on the day nearest to the alert when it has no date', () => {
    const night = readWindow('23:30-00:30')
    expect(placeWindow(night, alert)).toEqual({ start: at('2031-02-02T23:30:00Z'), end: at('2031-02-03T00:30:00Z') })
    expect(placeWindow(readWindow('23:00-23:50'), alert)?.start).toBe(at('2031-02-02T23:00:00Z'))
  })

  it('ends with the alert window when it has only a length', () => {
    expect(placeWindow(readWindow('last 20 minutes'), alert)).toEqual({
      start: alert.window.end - 1200,
      end: alert.window.end,
    })
  })

  it('says how an incomplete window was understood', () => {
    const said = (prompt: string) => {
      const stated = readWindow(prompt)
      return placementOf(stated, placeWindow(stated, alert) ?? alert.window)
    }
    expect(said('last 20 minutes')).toContain(
      '“last 20 minutes” is taken as the 20 minutes before 2031-02-03T00:40:00Z',
    )
    expect(said('last hour')).toContain('“last hour” is taken as the 60 minutes before')
    expect(said('23:30-00:30')).toContain('“23:30-00:30” is taken as 2031-02-02T23:30:00Z to 2031-02-03T00:30:00Z')
    expect([said('2031-02-03 10:00-11:00'), said('why?')]).toEqual([null, null])
  })

  it('is the alert window when the prompt states none, and unknown without an alert', () => {
    expect(placeWindow(null, alert)).toEqual(alert.window)
    expect(placeWindow(null, null)).toBeNull()
    expect(placeWindow(readWindow('10:00-11:00'), null)).toBeNull()
  })
})
