import { isJsonObject, type Json } from '../core/index.ts'

/** Gives the value with every text in it replaced; members that are `undefined` are left out, as JSON leaves them out. */
export function mapTexts(value: Json | undefined, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, map))
  if (!isJsonObject(value)) return value ?? null
  const mapped: { [key: string]: Json } = {}
  for (const [key, member] of Object.entries(value as { readonly [key: string]: Json | undefined })) {
    if (member !== undefined) mapped[key] = mapTexts(member, map)
  }
  return mapped
}
