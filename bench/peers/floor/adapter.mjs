import { z } from 'zod'

/** The floor: a loop written by hand, `JSON.parse`, zod and the call; nothing is recorded, guarded or bounded. */
export default async (workload) => {
  const schema = z.object({ a: z.number(), b: z.number(), note: z.string() })
  const add = async (args) => workload.execute(args)
  const perform = async (call) => {
    const parsed = schema.safeParse(JSON.parse(call.input))
    if (!parsed.success) throw parsed.error
    return { id: call.id, output: JSON.stringify(await add(parsed.data)) }
  }
  async function* run(script) {
    const messages = [{ role: 'user', content: 'go' }]
    for (;;) {
      const answer = await modelTurn(script, workload, messages)
      if (answer.calls === null) {
        yield answer.text
        return answer.text
      }
      for (const call of answer.calls) yield call
      messages.push({ role: 'assistant', calls: answer.calls })
      const results = await Promise.all(answer.calls.map(perform))
      for (const result of results) yield result
      messages.push({ role: 'tool', results })
    }
  }
  return {
    name: 'floor',
    async generate(script) {
      const messages = [{ role: 'user', content: 'go' }]
      for (;;) {
        const answer = await modelTurn(script, workload, messages)
        if (answer.calls === null) return answer.text
        messages.push({ role: 'assistant', calls: answer.calls })
        messages.push({ role: 'tool', results: await Promise.all(answer.calls.map(perform)) })
      }
    },
    async stream(script) {
      let text = ''
      for await (const event of run(script)) if (typeof event === 'string') text += event
      return text
    },
  }
}

async function modelTurn(script, workload, messages) {
  const turn = (messages.length - 1) / 2
  if (turn >= script.turns) return { calls: null, text: 'done' }
  const calls = Array.from({ length: script.calls }, (_, index) => ({
    id: `c${turn}_${index}`,
    name: 'add',
    input: JSON.stringify(workload.args(index)),
  }))
  return { calls, text: '' }
}
