import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

/** What a page or an edge worker would load: bundled for the browser, minified and gzipped. */
async function gzipped(entry: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

it('is less than 2 kB, all of it', async () => {
  expect(await gzipped('@callboard/signature')).toBeLessThan(2000)
})

it('is less than 2.5 kB to receive requests: all that verifyRequest needs, verify included', async () => {
  expect(await gzipped('@callboard/signature/request')).toBeLessThan(2500)
})
