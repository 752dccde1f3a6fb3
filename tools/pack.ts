import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { run } from './run.ts'

/** As much of a package.json as the tools here read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** A package as it would be published. */
export interface PackedPackage {
  /** Its folder in `packages`, which gives its name to the program in tools/packed, too. */
  readonly folder: string
  readonly tarball: string
  readonly bytes: number
  /** What is in the tarball, unpacked. */
  readonly unpacked: string
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
  /** The one in the tarball: `exports` are those of `publishConfig`, `workspace:^` is a version. */
  readonly manifest: Manifest
}

/** Folders of the packages that are not private. */
export async function publishedFolders(): Promise<string[]> {
  const folders: string[] = []
  for (const folder of (await readdir('packages')).sort()) {
    const path = join('packages', folder, 'package.json')
    if (existsSync(path) && (await readManifest(path)).private !== true) folders.push(folder)
  }
  return folders
}

/** Packs every published package, built before, with pnpm into packages/<folder>/.pack. */
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

/** The names by which a package's entries are imported: `@callboard/router`, `@callboard/router/node`. */
export function entriesOf({ name, exports }: Manifest): string[] {
  return Object.keys(exports).map((entry) => join(name, entry))
}
