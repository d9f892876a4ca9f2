// #region recorded
import { recorded } from '@fairlead/runtime/models'
import type { Agent } from 'fairlead'

/** The same agent from a file of recorded turns: the first run writes it, later ones need neither network nor key. */
export function recordedAgent(agent: Agent, file: string): Agent {
  return agent.model === undefined ? agent : agent.with({ model: recorded(agent.model, file, { mode: 'auto' }) })
}
// #endregion
