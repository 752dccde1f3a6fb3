import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { RUNTIMES } from '../tests/runtimes/src/index.ts'
import { run } from './run.ts'

/** The platform's code that the tests of docs/testing.md are about. */
const PLATFORM = 'examples/docs/src/testing/orders.ts'
/** Jest runs on the oldest Node, and on the oldest one on which it loads ES modules with `require`. */
const JEST: Readonly<Record<string, readonly ('esm' | 'commonjs')[]>> = {
  'Node 22': ['esm'],
  'Node 24': ['esm', 'commonjs'],
}

/**
 * Runs the tests of docs/testing.md with each test runner, against the packages installed in a folder. For Jest, tsc
 * compiles them to ES modules and to CommonJS.
 */
export async function checkTestRunners(folder: string): Promise<void> {
  const folders = { esm: join(folder, 'runners'), commonjs: join(folder, 'commonjs') }
  const { esm, commonjs } = folders
  await cp(PLATFORM, join(esm, 'orders.ts'))
  for (const file of ['orders.ts', 'jest.test.ts']) await cp(join(esm, file), join(commonjs, file))
  const tsc = join(folder, 'node_modules/.bin/tsc')
  const strict = ['--strict', '--target', 'es2023', '--lib', 'es2023,dom', '--types', 'node', '--rootDir', '.']
  const module = ['--module', 'nodenext', '--rewriteRelativeImportExtensions', '--outDir', 'out/jest']
  for (const cwd of [esm, commonjs]) await run(tsc, ['--ignoreConfig', ...strict, ...module, 'jest.test.ts'], { cwd })

  const jest = ['--experimental-vm-modules', join(folder, 'node_modules/jest/bin/jest.js'), '--rootDir', 'out/jest']
  for (const { name, command } of RUNTIMES) {
    if (name === 'Bun') await run(command, ['test', 'bun.test.ts'], { cwd: esm })
    else if (name === 'Deno') await run(command, ['test', '-A', 'deno.test.ts'], { cwd: esm })
    else {
      await run(command, ['--test', 'node.test.ts'], { cwd: esm })
      for (const modules of JEST[name] ?? []) await run(command, jest, { cwd: folders[modules] })
    }
    console.log(`ran the tests of docs/testing.md on ${name}`)
  }
}
