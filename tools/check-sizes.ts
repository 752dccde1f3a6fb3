import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * The maximum size of each entry point in bytes: bundled for the browser with all imports, minified and gzipped. The
 * README of `signature` promises the limits of its two entry points. The limit of `client` is just above its current
 * size.
 */
const LIMITS: Readonly<Record<string, number>> = {
  '@callboard/signature': 2_100,
  '@callboard/signature/request': 2_700,
  '@callboard/client': 4_000,
}

/** Measures the packages installed in a folder, and throws if an entry point exceeds its limit. */
export async function checkSizes(folder: string): Promise<void> {
  for (const [entry, limit] of Object.entries(LIMITS)) {
    const bytes = await gzippedSize(entry, folder)
    if (bytes >= limit) throw new Error(`${entry} takes ${bytes} bytes in a browser. It must stay below ${limit}.`)
    console.log(`${entry}: ${bytes} bytes in a browser, limit ${limit}`)
  }
}

async function gzippedSize(entry: string, folder: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}
