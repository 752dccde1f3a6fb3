// Protects those who install a package. What pnpm packs, not what lies in the folder, is held to what npm and TypeScript
// expect (lint-package.ts); then a stranger's project outside the workspace installs it, compiles the programs of
// tools/packed as strictly as it can, and runs them on every runtime that is promised. Run after `turbo run build`.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RUNTIMES } from '../packages/runtimes/src/index.ts'
import { startPostgres } from '../packages/testbed/src/index.ts'
import { installPacked } from './install-packed.ts'
import { lintPackage } from './lint-package.ts'
import { packAll } from './pack.ts'
import { run } from './run.ts'

const packages = await packAll()
await Promise.all(packages.map(lintPackage))
console.log(`packed: ${packages.map(({ manifest }) => manifest.name).join(', ')}`)

const project = await installPacked(packages)
try {
  const programs = (await readdir(project.folder)).filter((file) => file.endsWith('.ts'))
  for (const { folder, manifest } of packages)
    if (!programs.some((file) => file === `${folder}.ts` || file === `${folder}.test.ts`))
      throw new Error(`No program in tools/packed uses ${manifest.name}: write ${folder}.ts.`)
  await compile(project.folder)
  await runEverywhere(project.folder, programs)
} finally {
  await project.remove()
}

/** With `skipLibCheck: false`: the declarations of all packages are checked, too, once without and once with the DOM. */
async function compile(cwd: string): Promise<void> {
  const tsc = join(cwd, 'node_modules/.bin/tsc')
  await Promise.all([
    run(tsc, ['--project', '.', '--module', 'nodenext'], { cwd }),
    run(tsc, ['--project', '.', '--module', 'preserve', '--moduleResolution', 'bundler', '--lib', 'ES2023,DOM'], {
      cwd,
    }),
  ])
  console.log('compiled: module nodenext, moduleResolution bundler')
}

/** Each program in a process of its own, with an empty database, on one runtime after the other. */
async function runEverywhere(cwd: string, programs: readonly string[]): Promise<void> {
  const postgres = await startPostgres()
  try {
    for (const { name, command, args } of RUNTIMES) {
      for (const file of programs) {
        // Bun's child processes cannot do what vitest asks of its own by default; threads can on every runtime.
        const test = ['node_modules/vitest/vitest.mjs', 'run', '--pool=threads', file]
        const env = { DATABASE_URL: await postgres.createDatabase() }
        await run(command, [...args, ...(file.endsWith('.test.ts') ? test : [file])], { cwd, env })
      }
      console.log(`ran on ${name}: ${programs.join(', ')}`)
    }
  } finally {
    await postgres.stop()
  }
}
