import { readFile, writeFile } from 'node:fs/promises'

const file = new URL('../../RESULTS.md', import.meta.url)

const HEAD = `# Results

Written by \`pnpm bench\`: each section comes from the last run that measured it. Figures are medians of alternating
rounds, with the lowest and the highest in parentheses. The machine is shared and noisy, so compare ratios. README.md
describes the method.
`

const block = (name: string): RegExp => new RegExp(`<!-- ${name} -->\\n[\\s\\S]*?<!-- /${name} -->\\n`)

/** Replaces one section of RESULTS.md. Sections appear in the order of `names`. */
export async function writeSection(name: string, text: string, names: readonly string[]): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => '')
  const blocks = names.flatMap((each) =>
    each === name ? [`<!-- ${name} -->\n${text}\n<!-- /${name} -->\n`] : (before.match(block(each)) ?? []),
  )
  await writeFile(file, [HEAD, ...blocks].join('\n'))
}
