import { rm } from 'node:fs/promises'
import { startPostgres } from '../tests/testbed/src/index.ts'
import { run } from './run.ts'

/** The bundles that tools/packed/bundles/bundle.js writes. */
const BUNDLES = [
  'esbuild-commonjs/function.cjs',
  'esbuild-modules/function.mjs',
  'webpack/function.cjs',
  'rollup/function.mjs',
]

/**
 * Bundles a function that uses the packages installed in a folder, and calls it from each bundle. The bundles are in a
 * folder without modules, so whatever is not in a bundle is missing, as it is in a cloud.
 */
export async function checkBundles(folder: string): Promise<void> {
  const bundles = `${folder}-bundles`
  const postgres = await startPostgres()
  try {
    await run('node', ['bundles/bundle.js', bundles], { cwd: folder })
    for (const file of BUNDLES) {
      const env = { DATABASE_URL: await postgres.createDatabase() }
      const load = file.endsWith('.cjs') ? `Promise.resolve(require('./${file}'))` : `import('./${file}')`
      await run('node', ['--eval', `${load}.then(({ handler }) => handler())`], { cwd: bundles, env })
    }
    console.log(`ran bundled: ${BUNDLES.join(', ')}`)
  } finally {
    await postgres.stop()
    await rm(bundles, { recursive: true, force: true })
  }
}
