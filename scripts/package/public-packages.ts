import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'

const names = z.record(z.string(), z.string())

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  private: z.boolean().optional(),
  description: z.string().optional(),
  license: z.string().optional(),
  type: z.string().optional(),
  bin: names.optional(),
  files: z.array(z.string()).optional(),
  exports: z.record(z.string(), names).optional(),
  dependencies: names.optional(),
  devDependencies: names.optional(),
  peerDependencies: names.optional(),
  engines: names.optional(),
})

/** What the checks read of a package.json. */
export type Manifest = z.infer<typeof manifestSchema>

/** A workspace that is published. `folder` is absolute, `folderName` its last part. */
export type PublicPackage = { readonly folder: string; readonly folderName: string; readonly manifest: Manifest }

/** The manifest in a text of JSON; throws when a field has another form than these packages use. */
export function readManifest(text: string): Manifest {
  return manifestSchema.parse(JSON.parse(text))
}

/** Every workspace that is not private, by name. Throws when there is none: the checks would look at nothing. */
export function publicPackages(root: string): readonly PublicPackage[] {
  const { workspaces } = z
    .object({ workspaces: z.array(z.string().regex(/^[a-z]+\/\*$/)) })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const found = workspaces
    .map((pattern) => join(root, pattern.slice(0, -2)))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({
      folder,
      folderName: basename(folder),
      manifest: readManifest(readFileSync(join(folder, 'package.json'), 'utf8')),
    }))
    .filter(({ manifest }) => manifest.private !== true)
    .sort((one, other) => (one.manifest.name < other.manifest.name ? -1 : 1))
  if (found.length === 0) throw new Error(`No public workspace under ${root}: nothing would be checked.`)
  return found
}
