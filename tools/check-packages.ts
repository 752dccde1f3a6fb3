// Checks the tarballs that pnpm packs. lint-package.ts checks each one for what npm and TypeScript expect. A project
// outside the workspace then installs all of them, compiles the programs of tools/packed with the strictest settings,
// and runs them on every supported runtime. Three of its folders have programs that are compiled to CommonJS, tests for
// each test runner, and programs that are bundled. This script also checks that a release gives all packages the same
// version. Run it after `turbo run build`.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RUNTIMES } from '../tests/runtimes/src/index.ts'
import { startPostgres } from '../tests/testbed/src/index.ts'
import { checkBundles } from './check-bundles.ts'
import { checkCommonJs } from './check-commonjs.ts'
import { checkSizes } from './check-sizes.ts'
import { checkTestRunners } from './check-test-runners.ts'
import { installPacked } from './install-packed.ts'
import { lintPackage } from './lint-package.ts'
import { packAll } from './pack.ts'
import { planRelease } from './plan-release.ts'
import { run } from './run.ts'

const packages = await packAll()
await Promise.all(packages.map(lintPackage))
console.log(`packed: ${packages.map(({ manifest }) => manifest.name).join(', ')}`)

const [release] = await planRelease(`---\n'${packages[0]?.manifest.name}': minor\n---\n\nA change of one package.\n`)
console.log(`released together: ${release?.next}`)

const project = await installPacked(packages)
try {
  const programs = [
    'every-entry.ts',
    'every-entry.cjs',
    ...packages.map(({ folder }) => programOf(project.folder, folder)),
  ]
  await checkSizes(project.folder)
  await compile(project.folder)
  await checkCommonJs(project.folder)
  await checkTestRunners(project.folder)
  await checkBundles(project.folder)
  await runEverywhere(project.folder, programs)
} finally {
  await project.remove()
}

function programOf(cwd: string, folder: string): string {
  const program = `${folder}.ts`
  if (!existsSync(join(cwd, program)))
    throw new Error(`No program in tools/packed uses packages/${folder}: write ${program}.`)
  return program
}

/**
 * Compiles the programs and, because of `skipLibCheck: false`, the declarations of all packages: once without the DOM's
 * types and once with them.
 */
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

/** Runs each program in its own process with an empty database, on one runtime after another. */
async function runEverywhere(cwd: string, programs: readonly string[]): Promise<void> {
  const postgres = await startPostgres()
  try {
    for (const { name, command, args } of RUNTIMES) {
      for (const file of programs) {
        const env = { DATABASE_URL: await postgres.createDatabase() }
        await run(command, [...args, file], { cwd, env })
      }
      console.log(`ran on ${name}: ${programs.join(', ')}`)
    }
  } finally {
    await postgres.stop()
  }
}
