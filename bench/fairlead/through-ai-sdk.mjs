import { fromAiSdk } from '@fairlead/runtime/models'
import { aiSdkModel } from '../peers/ai-sdk-model.mjs'
import { inMemory } from './fairlead-subject.mjs'

/** The very model object the AI SDK 7 subject gets, behind `fromAiSdk`. */
export default async (workload) =>
  inMemory('fairlead-ai-sdk', (script) => fromAiSdk(aiSdkModel('v4', script, workload)), workload)
