/** Milliseconds since the epoch as RFC 3339 in UTC. */
export function rfc3339(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** The same for a time that may not have come yet. */
export function rfc3339OrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : rfc3339(milliseconds)
}
