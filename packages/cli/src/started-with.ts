import { isJsonObject, type Json, type JsonObject, type Principal } from '@fairlead/runtime/core'

/** Where an agent's configuration comes from. `file` is absolute. */
export type ConfigSource =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'example'; readonly name: string; readonly file: string }

/** How a run was started, kept in its record so that approve, deny and resume need only the store. Paths are absolute. */
export type StartedWith = {
  readonly config: string | null
  readonly example: string | null
  readonly data: string | null
  readonly offline: boolean
  /** `--model` as it was given; keys are taken from the environment each time. */
  readonly model: string | null
  readonly principal: Principal
  readonly environment: string
}

/** The form kept in the run record. */
export function startedWithJson(startedWith: StartedWith): JsonObject {
  const { id, roles } = startedWith.principal
  return { ...startedWith, principal: roles === undefined ? { id } : { id, roles } }
}

function isTextOrNull(value: Json | undefined): value is string | null {
  return value === null || typeof value === 'string'
}

function readPrincipal(value: Json | undefined): Principal | undefined {
  if (!isJsonObject(value) || typeof value['id'] !== 'string') return undefined
  const id = value['id']
  const roles = value['roles']
  if (roles === undefined) return { id }
  if (!Array.isArray(roles) || !roles.every((role): role is string => typeof role === 'string')) return undefined
  return { id, roles }
}

/** Reads what a run record kept; `undefined` when the run was started by another host than this command. */
export function readStartedWith(value: Json): StartedWith | undefined {
  if (!isJsonObject(value)) return undefined
  const { config, example, data, offline, model = null, environment } = value
  const principal = readPrincipal(value['principal'])
  if (!isTextOrNull(config) || !isTextOrNull(example) || !isTextOrNull(data)) return undefined
  if (!isTextOrNull(model) || (config === null) === (example === null)) return undefined
  if (typeof offline !== 'boolean' || typeof environment !== 'string' || principal === undefined) return undefined
  return { config, example, data, offline, model, principal, environment }
}
