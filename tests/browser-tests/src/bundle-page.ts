import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A program for pages with all that it imports, resolved as bundlers do for browsers. */
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
