import { aiSdkModel } from './ai-sdk-model.mjs'

/** The AI SDK as a subject; both majors share it. `sdk` is the module `ai`, `z` its zod. */
export function aiSdkSubject(setting, workload) {
  const { name, sdk, z, specificationVersion } = setting
  const stopWhen = (sdk.isStepCount ?? sdk.stepCountIs)(50)
  const inputSchema = z.object({ a: z.number(), b: z.number(), note: z.string() })
  const add = sdk.tool({ description: 'add', inputSchema, execute: async (args) => workload.execute(args) })
  const optionsFor = (script) => ({
    model: aiSdkModel(specificationVersion, script, workload),
    tools: { add },
    stopWhen,
    prompt: 'go',
  })
  return {
    name,
    generate: async (script) => (await sdk.generateText(optionsFor(script))).text,
    stream: async (script) => {
      const result = sdk.streamText(optionsFor(script))
      let text = ''
      for await (const part of result.fullStream ?? result.stream) if (part.type === 'text-delta') text += part.text
      return text
    },
  }
}
