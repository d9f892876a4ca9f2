import { posix } from 'node:path'
import { z } from 'zod'
import { readManifest, type Manifest } from './public-packages.ts'

const sourceMap = z.object({ sources: z.array(z.string()), sourceRoot: z.string().optional() })

/**
 * What is wrong with the files of a packed package, one sentence each: something missing, something that should not be
 * there, a source map or a door that leads nowhere. Paths are relative to the package, with forward slashes.
 */
export function tarballFaults(files: ReadonlyMap<string, string>): readonly string[] {
  const manifest = files.get('package.json')
  const missing = ['package.json', 'README.md', 'LICENSE']
    .filter((path) => !files.has(path))
    .map((path) => `${path} is missing`)
  return [
    ...missing,
    ...[...files.keys()].filter(isUnwanted).map((path) => `${path} should not be packed`),
    ...[...files].flatMap(([path, text]) => mapFaults(path, text, files)),
    ...(manifest === undefined ? [] : targetFaults(readManifest(manifest), files)),
  ]
}

function isUnwanted(path: string): boolean {
  return (
    /\.(?:test|test-d|bench)\.(?:[cm]?[jt]s|d\.ts)(?:\.map)?$/.test(path) ||
    /(?:^|\/)(?:node_modules|fixtures|\.[^/]+)(?:\/|$)/.test(path) ||
    /-fixture\.[a-z]+$/.test(path)
  )
}

function mapFaults(path: string, text: string, files: ReadonlyMap<string, string>): readonly string[] {
  const beside = (name: string): string => posix.join(posix.dirname(path), name)
  if (path.startsWith('dist/') && path.endsWith('.map')) {
    const { sources, sourceRoot = '' } = sourceMap.parse(JSON.parse(text))
    return sources
      .map((source) => beside(sourceRoot + source))
      .filter((source) => !files.has(source))
      .map((source) => `${path} refers to ${source}, which is not packed`)
  }
  const map = /^\/\/# sourceMappingURL=(\S+)\s*$/m.exec(path.startsWith('dist/') ? text : '')?.[1]
  return map === undefined || files.has(beside(map)) ? [] : [`${path} refers to ${beside(map)}, which is not packed`]
}

function targetFaults(manifest: Manifest, files: ReadonlyMap<string, string>): readonly string[] {
  const doors = Object.values(manifest.exports ?? {}).flatMap((conditions) => Object.values(conditions))
  const commands = Object.values(manifest.bin ?? {})
  return [
    ...[...doors, ...commands]
      .map((target) => posix.normalize(target))
      .filter((target) => !files.has(target))
      .map((target) => `package.json refers to ${target}, which is not packed`),
    ...commands
      .map((command) => posix.normalize(command))
      .filter((command) => files.get(command)?.startsWith('#!/usr/bin/env node\n') === false)
      .map((command) => `${command} is a command without a first line that says so`),
  ]
}
