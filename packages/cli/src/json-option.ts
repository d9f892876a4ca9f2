import { isJsonObject, type Json, type JsonObject } from '@fairlead/runtime/core'
import { usageFailure } from './exit.ts'

/** Reads an option's JSON text; `example` shows what it looks like. Anything else is a usage failure. */
export function jsonOption(option: string, text: string, example: string): Json {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as Json
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw usageFailure(`${option} expects JSON, for example '${example}': ${reason}.`, error)
  }
}

/** The same for an object. */
export function jsonObjectOption(option: string, text: string, example: string): JsonObject {
  const value = jsonOption(option, text, example)
  if (isJsonObject(value)) return value
  throw usageFailure(`${option} expects a JSON object, for example '${example}'.`)
}
