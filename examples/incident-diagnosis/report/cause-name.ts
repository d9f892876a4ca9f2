import { sayIn, type Language } from './language.ts'
import type { Cause } from './report.ts'

const names: { readonly [cause in Cause]: readonly [english: string, chinese: string] } = {
  deployment: ['Deployment', '部署变更'],
  config_change: ['Configuration change', '配置变更'],
  database_saturation: ['Database saturation', '数据库连接饱和'],
  traffic_surge: ['Traffic surge', '流量突增'],
  resource_exhaustion: ['Resource exhaustion', '资源耗尽'],
  dependency_failure: ['Dependency failure', '依赖故障'],
  no_incident: ['No incident', '无事故'],
  unknown: ['Unknown', '未知'],
}

/** The name of a cause. */
export function causeName(cause: Cause, language: Language = 'en'): string {
  return sayIn(language)(...names[cause])
}
