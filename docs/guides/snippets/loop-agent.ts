// #region loop-agent
import { Agent, judge, LoopAgent, type LoopResult } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'

const writer = new Agent({
  name: 'writer',
  model: new ScriptedChatClient(['Buy coffee.', 'Buy 12 coffee from the north.']),
})

/** Until your own code says that it is done. */
const untilShort = new LoopAgent({
  agent: new Agent({ name: 'writer', model: new ScriptedChatClient(['A very long text indeed', 'Short.']) }),
  until: ({ text }) => ({ done: text.length < 10, feedback: `At most 10 characters; it has ${text.length}.` }),
  maxLoops: 3,
})

/** Until a model says so. */
const untilComplete = new LoopAgent({
  agent: writer,
  until: judge({
    criteria: 'The order names a count and a supplier.',
    model: new ScriptedChatClient([
      '{"done": false, "feedback": "How many, and from whom?"}',
      '{"done": true, "feedback": ""}',
    ]),
  }),
})

export const short = (): Promise<LoopResult> => untilShort.run('Write.')
export const complete = (): Promise<LoopResult> => untilComplete.run('Write an order for coffee.')
// #endregion
