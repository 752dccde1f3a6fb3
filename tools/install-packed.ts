import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entriesOf, type PackedPackage, readManifest } from './pack.ts'
import { run } from './run.ts'

const template = fileURLToPath(new URL('packed', import.meta.url))

/** A project outside the workspace that gets the packages only as tarballs. */
export interface Project {
  readonly folder: string
  remove(): Promise<void>
}

/**
 * Copies tools/packed out of the workspace and installs all tarballs there with npm. The overrides make the packages
 * depend on each other's tarballs, never on a published version.
 */
export async function installPacked(packages: readonly PackedPackage[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-packed-'))
  await cp(template, folder, { recursive: true })
  const path = join(folder, 'package.json')
  const manifest = await readManifest(path)
  const dependencies = Object.fromEntries(packages.map((each) => [each.manifest.name, `file:${each.tarball}`]))
  const overrides = Object.fromEntries(packages.map((each) => [each.manifest.name, `$${each.manifest.name}`]))
  await writeFile(path, JSON.stringify({ ...manifest, dependencies, overrides }, null, 2))
  // Writes two programs that load every entry point: one imports ES modules, and one uses `require`, which refuses a
  // module with a top-level `await`.
  const entries = packages.flatMap((each) => entriesOf(each.manifest))
  await writeFile(join(folder, 'every-entry.ts'), entries.map((entry) => `import '${entry}'\n`).join(''))
  await writeFile(join(folder, 'every-entry.cjs'), entries.map((entry) => `require('${entry}')\n`).join(''))
  await run(
    'npm',
    ['install', '--prefer-offline', '--fetch-retries=5', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: folder },
  )
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
