import { userInfo } from 'node:os'

/** The name of the operating system's user, the default principal; `unknown` where there is none. */
export function operatingSystemUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
