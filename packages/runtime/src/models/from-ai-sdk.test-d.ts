import { anthropic } from '@ai-sdk/anthropic'
import { google } from '@ai-sdk/google'
import { openai } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { anthropic as anthropicV4 } from 'anthropic-v4'
import { google as googleV4 } from 'google-v4'
import { createOpenAICompatible as createOpenAICompatibleV4 } from 'openai-compatible-v4'
import { openai as openaiV4 } from 'openai-v4'
import { expectTypeOf } from 'vitest'
import type { ChatClient } from '../core/index.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

const settings = { name: 'local', baseURL: 'http://127.0.0.1:1/v1' }

// Models of both generations are taken as they are.
expectTypeOf(fromAiSdk(openai('m'))).toEqualTypeOf<ChatClient>()
fromAiSdk(openai.chat('m'))
fromAiSdk(anthropic('m'))
fromAiSdk(google('m'))
fromAiSdk(createOpenAICompatible(settings)('m'))
fromAiSdk(openaiV4('m'))
fromAiSdk(openaiV4.chat('m'))
fromAiSdk(anthropicV4('m'))
fromAiSdk(googleV4('m'))
fromAiSdk(createOpenAICompatibleV4(settings)('m'))

// @ts-expect-error -- a name is no model: Fairlead looks nothing up.
fromAiSdk('openai/gpt-5')
// @ts-expect-error -- an embedding model is no language model.
fromAiSdk(openai.embedding('m'))
