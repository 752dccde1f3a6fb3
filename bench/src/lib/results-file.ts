import { readFile, writeFile } from 'node:fs/promises'

const file = new URL('../../RESULTS.md', import.meta.url)

const HEAD = `# Results

Written by \`pnpm bench\`; each section by the last run that measured it. Medians of alternating rounds, in brackets the lowest
and the highest. The machine is shared and noisy: read ratios. How it is measured: README.md.
`

const block = (name: string): RegExp => new RegExp(`<!-- ${name} -->\\n[\\s\\S]*?<!-- /${name} -->\\n`)

/** Puts one section in place of what was there before; sections stand in the order of `names`. */
export async function writeSection(name: string, text: string, names: readonly string[]): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => '')
  const blocks = names.flatMap((each) =>
    each === name ? [`<!-- ${name} -->\n${text}\n<!-- /${name} -->\n`] : (before.match(block(each)) ?? []),
  )
  await writeFile(file, [HEAD, ...blocks].join('\n'))
}
