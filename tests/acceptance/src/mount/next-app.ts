import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'tsup'

const WORKSPACE = fileURLToPath(new URL('../../../../', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../../packages/', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../../../../examples/mount/src/', import.meta.url))
const PROGRAM = createRequire(import.meta.url).resolve('next/dist/bin/next')

export interface NextApp {
  /** The arguments with which `node` runs `next build` or `next start` on the app. */
  command(name: 'build' | 'start', ...options: readonly string[]): readonly string[]
  /** Copies the output of `output: 'standalone'` into an empty folder, and returns the path of its server. */
  copyStandalone(to: string): Promise<string>
  remove(): Promise<void>
}

/** Builds the example for Next with `next build`, in a separate folder and with the packages as published. */
export async function buildNextApp(): Promise<NextApp> {
  // The folder lies inside this package, so that the app finds its dependencies: Next refuses files from outside the
  // workspace.
  const folder = fileURLToPath(new URL(`../../.generated/${randomUUID()}`, import.meta.url))
  for (const name of ['signature', 'core', 'delivery', 'router', 'store-postgres'])
    await publish(join(PACKAGES, name), join(folder, 'node_modules'))
  await copyExample(folder)
  await writeFile(join(folder, 'next/next.config.mjs'), `export default { output: 'standalone' }\n`)
  const app: NextApp = {
    command: (name, ...options) => [PROGRAM, name, ...options, join(folder, 'next')],
    async copyStandalone(to) {
      await cp(join(folder, 'next/.next/standalone'), to, { recursive: true, verbatimSymlinks: true })
      return join(to, relative(WORKSPACE, folder), 'next/server.js')
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  // Built without the example's settings, because a build needs neither a database nor secret keys.
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' }
  await promisify(execFile)(process.execPath, app.command('build'), { env, timeout: 280_000 })
  return app
}

/** Installs a package as published: its built entry points, its other files, and the manifest from its tarball. */
async function publish(root: string, modules: string): Promise<void> {
  const { publishConfig, ...source } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const manifest = { ...source, ...publishConfig }
  const folder = join(modules, manifest.name)
  const entries = [...JSON.stringify(publishConfig).matchAll(/"\.\/dist\/([^"]+)\.js"/g)].map(([, name = '']) => name)
  await build({
    config: false,
    entry: Object.fromEntries(entries.map((name) => [name, join(root, `src/${name}.ts`)])),
    outDir: join(folder, 'dist'),
    format: 'esm',
    target: 'es2023',
    skipNodeModulesBundle: true,
    // `@callboard/handler` is not published; each package that uses it contains a bundled copy.
    noExternal: ['@callboard/handler'],
    silent: true,
    tsconfig: join(root, 'tsconfig.json'),
  })
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  // `CHANGELOG.md` does not exist before the first release. Packing a package skips an entry of `files` that is
  // missing.
  const files = manifest.files.filter((name: string) => name !== 'dist' && existsSync(join(root, name)))
  for (const file of files) await cp(join(root, file), join(folder, file), { recursive: true })
  for (const name of Object.keys(manifest.dependencies ?? {}).filter((each) => !each.startsWith('@callboard/'))) {
    await rm(join(modules, name), { force: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
}

/** Copies the example as JavaScript, because Next requires React's types for an app in TypeScript. */
async function copyExample(folder: string): Promise<void> {
  const pages = await readdir(join(EXAMPLE, 'next'), { recursive: true })
  for (const path of ['callboard.ts', ...pages.filter((each) => each.endsWith('.ts')).map((each) => `next/${each}`)]) {
    const source = stripTypeScriptTypes(await readFile(join(EXAMPLE, path), 'utf8'))
    const to = join(folder, path.replace(/\.ts$/, '.js'))
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, source.replaceAll(".ts'", ".js'"))
  }
}
