import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * What a page or an edge worker loads at most: an entry and all that it imports, bundled for the browser, minified and
 * gzipped, in bytes. Those of `signature` are promises of its README; that of `client` is just above what it is.
 */
const LIMITS: Readonly<Record<string, number>> = {
  '@callboard/signature': 2_000,
  '@callboard/signature/request': 2_500,
  '@callboard/client': 2_400,
}

/** Measures what was installed in a folder, and throws when an entry has outgrown its limit. */
export async function checkSizes(folder: string): Promise<void> {
  for (const [entry, limit] of Object.entries(LIMITS)) {
    const bytes = await gzippedSize(entry, folder)
    if (bytes >= limit) throw new Error(`${entry} takes ${bytes} bytes for a browser, and may take less than ${limit}.`)
    console.log(`${entry}: ${bytes} bytes for a browser, of ${limit}`)
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
