import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

export interface Bundle {
  readonly code: string
  readonly gzipped: number
}

/**
 * The code that a web page or an edge worker would load: bundled for browsers and minified by esbuild. Its size is that
 * of the gzipped code.
 */
export async function bundleForBrowsers(source: string): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
  })
  const code = outputFiles[0]?.text ?? ''
  return { code, gzipped: gzipSync(code, { level: 9 }).length }
}
