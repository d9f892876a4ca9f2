import type { JsonObject } from '../json/json.ts'

/** A JSON Schema object, 2020-12 unless `$schema` says otherwise. */
export type JsonSchema = JsonObject
