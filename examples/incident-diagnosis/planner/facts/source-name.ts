import { sayIn, type Language } from '../../report/index.ts'

const names: Readonly<Record<string, readonly [english: string, chinese: string]>> = {
  alert: ['Alert', '告警'],
  latency: ['P95 latency', 'P95 延迟'],
  'request-rate': ['Request rate', '请求量'],
  'error-ratio': ['Error ratio', '错误率'],
  cpu: ['CPU', 'CPU'],
  memory: ['Memory', '内存'],
  'database-in-use': ['Database connections in use', '数据库已用连接'],
  'database-max': ['Database connection limit', '数据库连接上限'],
  upstreams: ['Upstream latency', '上游延迟'],
  'upstreams-own': ['Latency of the upstreams by their own measure', '上游自身测得的延迟'],
  'error-logs': ['Error logs', '错误日志'],
  'all-logs': ['Logs of all levels', '全部级别的日志'],
  pods: ['Pods', 'Pod'],
  deployments: ['Deployments', '部署'],
  runbooks: ['Runbooks', 'Runbook'],
}

/** What people call the source behind a planned call; the call's id when it has no name. */
export function sourceName(id: string, language: Language): string {
  return sayIn(language)(...(names[id] ?? [id, id]))
}
