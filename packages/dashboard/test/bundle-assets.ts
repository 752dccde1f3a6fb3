import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The text of `generated.ts`, as the sources in `src/browser/` make it. */
export async function bundleAssets(): Promise<string> {
  const [script, style] = await Promise.all([bundle('main.ts'), bundle('style.css')])
  return [
    '// Made by `pnpm assets` from src/browser/; do not edit.',
    `export const script: Asset = { name: 'dashboard.${hash(script)}.js', text: ${JSON.stringify(script)} }`,
    `export const style: Asset = { name: 'dashboard.${hash(style)}.css', text: ${JSON.stringify(style)} }`,
    '',
    'interface Asset { readonly name: string; readonly text: string }',
    '',
  ].join('\n')
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/browser/${entry}`, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    charset: 'utf8',
    legalComments: 'none',
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error(`nothing came of ${entry}`)
  return file.text
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
