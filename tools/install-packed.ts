import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entriesOf, type PackedPackage, readManifest } from './pack.ts'
import { run } from './run.ts'

const stranger = fileURLToPath(new URL('packed', import.meta.url))

/** A project that knows the packages by their tarballs alone. */
export interface Project {
  readonly folder: string
  remove(): Promise<void>
}

/**
 * Copies tools/packed out of the workspace and installs the tarballs there with npm, all at once. What they depend on
 * comes from the registry; what they need of each other is the tarballs, never a version that was published before.
 */
export async function installPacked(packages: readonly PackedPackage[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-packed-'))
  await cp(stranger, folder, { recursive: true })
  const path = join(folder, 'package.json')
  const manifest = await readManifest(path)
  const dependencies = Object.fromEntries(packages.map((each) => [each.manifest.name, `file:${each.tarball}`]))
  const overrides = Object.fromEntries(packages.map((each) => [each.manifest.name, `$${each.manifest.name}`]))
  await writeFile(path, JSON.stringify({ ...manifest, dependencies, overrides }, null, 2))
  // As they come, by the loader of ES modules and by that of CommonJS, which takes none that awaits at its top.
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
