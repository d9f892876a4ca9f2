import { describe, expect, it } from 'vitest'
import { renderReport } from '../report/index.ts'
import { diagnoseIncident } from './testing/test-diagnosis.ts'
import { deployRegression, quietIncident, usual } from './testing/test-incidents.ts'
import { inventedNumbersOf, wrongNumbersOf } from './testing/test-numbers.ts'

const prompt = `${usual.service} 的 P95 延迟从 200ms 升到 2s，帮我分析可能原因。`
/** Words of English sentences; names, units and quotations of the data have none of them. */
const english = /\b(?:the|was|were|and|not|from|rose|kept|finished|read|missing)\b/i

describe('a prompt in Chinese', () => {
  it('gets a report in Chinese in the usual layers', async () => {
    const driven = await diagnoseIncident(deployRegression(usual), { prompt, ticket: 'stop' })
    expect(driven.text.split('\n').filter((line) => /^[^\d\s]+：|^结论/.test(line))).toEqual([
      expect.stringMatching(/^结论（置信度：高）：高度怀疑 rollout-77 引入了 basket-api 的延迟回归：P95 延迟在 /),
      '证据：',
      '已排除：',
      '缺口：无。',
      '建议：',
    ])
    expect(driven.text).toContain('（需人工审批）')
    expect(driven.report === null ? '' : renderReport(driven.report, 'zh')).toBe(driven.text)
    expect([...wrongNumbersOf(driven), ...inventedNumbersOf(driven)]).toEqual([])
  })

  it.each([
    ['a deployment', deployRegression(usual), {}],
    ['no incident', quietIncident(usual), {}],
    ['missing sources', deployRegression(usual), { without: ['metrics.om', 'pods.json', 'deployments.json'] }],
    ['no alert', { ...deployRegression(usual), alerts: [] }, {}],
    ['a ticket that was filed', deployRegression(usual), { ticket: 'approve' }],
    ['a ticket that was refused', deployRegression(usual), { ticket: 'deny' }],
  ] as const)('gets no English sentence about %s', async (_, incident, options) => {
    const { text, turns } = await diagnoseIncident(incident, { ticket: 'stop', prompt, ...options })
    // What logs, changes, runbooks and people say is quoted as it is.
    const own = text.replaceAll(/“[^”]*”|Changes?：.*|变更(?:包括|内容)：.*/g, '')
    expect(own.match(english)).toBeNull()
    expect(own).toMatch(/\p{Script=Han}/u)
    expect(turns.length).toBeGreaterThan(0)
  })

  it('gets its answers in Chinese when there is nothing to diagnose', async () => {
    const unknown = await diagnoseIncident(quietIncident(usual), { prompt: 'nobody-api 为什么变慢？' })
    expect(unknown.text).toBe('没有名为“nobody-api”的服务，因此没有诊断。已知的服务：basket-api。')
    const unnamed = await diagnoseIncident(quietIncident(usual), { prompt: '为什么都变慢了？' })
    expect(unnamed.text).toContain('请说明是哪个服务')
  })
})
