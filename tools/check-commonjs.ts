import { join } from 'node:path'
import { RUNTIMES } from '../tests/runtimes/src/index.ts'
import { run } from './run.ts'

/** How a CommonJS project can resolve modules, and the programs of tools/packed/commonjs that this way supports. */
const RESOLUTIONS: readonly { readonly name: string; readonly options: string[]; readonly programs: string[] }[] = [
  {
    name: 'node10',
    options: ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'],
    programs: ['receiver.test'],
  },
  { name: 'node16', options: ['--module', 'node16'], programs: ['receiver.test', 'server.test'] },
  { name: 'nodenext', options: ['--module', 'nodenext'], programs: ['receiver.test', 'server.test', 'server'] },
]

/**
 * Compiles CommonJS programs against the packages installed in a folder, and runs the results: the receivers' tests
 * under Jest without flags, the platform's test under Jest as the docs advise, and the server with Node alone.
 */
export async function checkCommonJs(folder: string): Promise<void> {
  const cwd = join(folder, 'commonjs')
  const tsc = join(folder, 'node_modules/.bin/tsc')
  for (const { name, options, programs } of RESOLUTIONS) {
    const files = programs.map((program) => `${program}.ts`)
    const strict = ['--strict', '--target', 'es2023', '--lib', 'es2023', '--types', 'node', '--rootDir', '.']
    await run(tsc, ['--ignoreConfig', ...strict, ...options, '--outDir', `out/${name}`, ...files], { cwd })
  }
  console.log(`compiled from CommonJS: ${RESOLUTIONS.map(({ name }) => name).join(', ')}`)

  for (const { name, command } of RUNTIMES.filter((runtime) => runtime.name.startsWith('Node'))) {
    const jest = [join(folder, 'node_modules/jest/bin/jest.js'), '--rootDir', 'out']
    await run(command, [...jest, 'receiver'], { cwd })
    await run(command, ['--experimental-vm-modules', ...jest, 'server'], { cwd })
    await run(command, ['out/nodenext/server.js'], { cwd })
    console.log(`ran from CommonJS on ${name}: Jest, require`)
  }
}
