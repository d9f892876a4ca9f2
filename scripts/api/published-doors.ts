import { join } from 'node:path'
import type { PublicPackage } from '../package/public-packages.ts'

/** A door of a public package: the declarations behind it and the name of its report. Paths are absolute. */
export type PublishedDoor = {
  readonly packageFolder: string
  readonly declarations: string
  readonly reportName: string
}

/** Every door in a package's `exports`, in their order; throws when one has no types. */
export function publishedDoors({ folder, folderName, manifest }: PublicPackage): readonly PublishedDoor[] {
  return Object.entries(manifest.exports ?? {}).map(([door, { types }]) => {
    if (types === undefined) throw new Error(`${manifest.name}: the door ${door} has no types.`)
    const suffix = door === '.' ? '' : `-${door.slice(2).replaceAll('/', '-')}`
    return { packageFolder: folder, declarations: join(folder, types), reportName: `${folderName}${suffix}.api.md` }
  })
}
