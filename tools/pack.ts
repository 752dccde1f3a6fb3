import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { run } from './run.ts'

/** The fields of a package.json that these tools read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** A package as npm would get it. */
export interface PackedPackage {
  /** The package's folder in `packages`. The program in tools/packed that uses the package has the same name. */
  readonly folder: string
  readonly tarball: string
  readonly bytes: number
  /** The folder with the unpacked tarball. */
  readonly unpacked: string
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
  /** The manifest in the tarball. In it, pnpm has applied `publishConfig` and replaced `workspace:^` with a version. */
  readonly manifest: Manifest
}

/** The folders of all packages that are not private. */
export async function publishedFolders(): Promise<string[]> {
  const folders: string[] = []
  for (const folder of (await readdir('packages')).sort()) {
    const path = join('packages', folder, 'package.json')
    if (existsSync(path) && (await readManifest(path)).private !== true) folders.push(folder)
  }
  return folders
}

/** Packs every published package with pnpm into packages/<folder>/.pack. The packages must be built already. */
export async function packAll(): Promise<PackedPackage[]> {
  return Promise.all((await publishedFolders()).map(pack))
}

async function pack(folder: string): Promise<PackedPackage> {
  const into = resolve('packages', folder, '.pack')
  await rm(into, { recursive: true, force: true })
  await mkdir(into)
  const tarball = join(into, `${folder}.tgz`)
  await run('pnpm', ['pack', '--out', tarball], { cwd: resolve('packages', folder) })
  await run('tar', ['-xzf', tarball], { cwd: into })

  const unpacked = join(into, 'package')
  const entries = await readdir(unpacked, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.sort().map(async (path) => ({ path: path.slice(unpacked.length + 1), bytes: (await stat(path)).size })),
  )
  const manifest = await readManifest(join(unpacked, 'package.json'))
  return { folder, tarball, bytes: (await stat(tarball)).size, unpacked, files, manifest }
}

export async function readManifest(path: string): Promise<Manifest> {
  const manifest: Manifest = JSON.parse(await readFile(path, 'utf8'))
  if (typeof manifest.name !== 'string') throw new Error(`${basename(path)} has no name`)
  return manifest
}

/** The names by which a package's entry points are imported: `@callboard/router`, `@callboard/router/node`. */
export function entriesOf({ name, exports }: Manifest): string[] {
  return Object.keys(exports).map((entry) => join(name, entry))
}
