import type { HttpAnswer } from './http-answer.ts'

/** What a route's handler sees: query and form parameters together, and the one variable part of the path, decoded. */
export interface RouteRequest {
  readonly parameters: URLSearchParams
  readonly name: string
}

/** One path of an API; `:name` in it stands for one variable segment. */
export interface Route {
  readonly methods: readonly ('GET' | 'POST')[]
  readonly path: string
  readonly handle: (request: RouteRequest) => HttpAnswer
}

/** The same routes, each of which gives one fixed answer. */
export function answeringAlways(routes: readonly Route[], answer: HttpAnswer): readonly Route[] {
  return routes.map(({ methods, path }) => ({ methods, path, handle: () => answer }))
}

/** Gives the variable segment when a request's path fits a route's path (the empty string when the route has none), else undefined. */
export function matchPath(routePath: string, requestPath: string): string | undefined {
  const [before, after] = routePath.split(':name')
  if (before === undefined || after === undefined) return routePath === requestPath ? '' : undefined
  if (!requestPath.startsWith(before) || !requestPath.endsWith(after)) return undefined
  const segment = requestPath.slice(before.length, requestPath.length - after.length)
  if (segment === '' || segment.includes('/')) return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
