/** Milliseconds since the epoch as RFC 3339 in UTC. */
export function rfc3339(milliseconds: number): string {
  return new Date(Math.min(milliseconds, lastTime)).toISOString()
}

/** 9999-12-31T23:59:59.999Z: RFC 3339 has no later one. */
const lastTime = 253_402_300_799_999

/** The same for a time that may not have come yet. */
export function rfc3339OrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : rfc3339(milliseconds)
}
