import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Bundles a program and its imports to run in a page. Imports are resolved as for browsers. */
export async function bundlePage(entry: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
