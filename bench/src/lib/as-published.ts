import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = new URL('../../../', import.meta.url)

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>> | undefined
  readonly publishConfig: object
}

/** A folder whose packages look as if installed from npm: they are built, and have the published `exports`. */
export interface AsPublished {
  readonly folder: string
  remove(): Promise<void>
}

export async function asPublished(packages: readonly string[]): Promise<AsPublished> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-published-'))
  await Promise.all(packages.map((name) => install(name, join(folder, 'node_modules'))))
  return { folder, remove: () => rm(folder, { recursive: true }) }
}

async function install(name: string, modules: string): Promise<void> {
  const source = new URL(`packages/${name}/`, root)
  const manifest: Manifest = JSON.parse(await readFile(new URL('package.json', source), 'utf8'))
  const target = join(modules, manifest.name)
  await mkdir(target, { recursive: true })
  await writeFile(join(target, 'package.json'), JSON.stringify({ ...manifest, ...manifest.publishConfig }))
  const tsup = new URL('node_modules/.bin/tsup', root)
  await promisify(execFile)(tsup.pathname, ['--no-dts', '--out-dir', join(target, 'dist')], { cwd: source })
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    if (dependency.startsWith('@callboard/')) continue
    const link = join(modules, dependency)
    await mkdir(dirname(link), { recursive: true })
    // The link may exist already, because two packages can share a dependency.
    await symlink(new URL(`node_modules/${dependency}`, source), link).catch(() => undefined)
  }
}
