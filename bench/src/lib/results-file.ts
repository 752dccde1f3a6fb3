import { readFile, writeFile } from 'node:fs/promises'
import { formatRow, formatTable, holds, rowsOf } from './format.ts'
import type { Measured } from './section.ts'

const file = new URL('../../RESULTS.md', import.meta.url)

const HEAD = `# Results

Written by \`pnpm bench\`, which replaces what it wrote about the sections that it runs. A figure is the median of
alternating rounds, with the lowest and the highest in parentheses. The machine is shared and noisy, so compare ratios:
“a ÷ b” is a's result relative to b's.
`
const COLUMNS = ['section', 'what', 'limit', 'measured', 'holds'] as const
const [MISSED, METHOD] = ['## What does not hold', '## How it was measured'] as const

/**
 * Replaces the lines of one section in the three parts of RESULTS.md. Lines appear in the order of `names`, and begin
 * with the name of their section.
 *
 * @param run when, where and how long the section ran
 */
export async function writeSection(
  name: string,
  measured: Measured,
  run: string,
  names: readonly string[],
): Promise<void> {
  const parts = (await readFile(file, 'utf8').catch(() => '')).split(/^## /m)
  const merge = (part: number, lineStart: (name: string) => string, written: readonly string[]): string[] =>
    names.flatMap((each) => {
      if (each === name) return written
      return (parts[part] ?? '').split('\n').filter((line) => line.startsWith(lineStart(each)))
    })
  const missed = measured.goals.every(holds)
    ? []
    : [`${item(name)} ${measured.missed ?? 'We have not looked for the cause.'}`]
  await writeFile(
    file,
    [
      HEAD,
      formatTable({ columns: COLUMNS, rows: [] }),
      ...merge(
        0,
        (each) => `| ${each} |`,
        rowsOf(measured).map((cells) => formatRow([name, ...cells])),
      ),
      `\n${MISSED}\n`,
      ...merge(1, item, missed),
      `\n${METHOD}\n`,
      ...merge(2, item, [`${item(name)} ${measured.method} ${run}`]),
      '',
    ].join('\n'),
  )
}

function item(name: string): string {
  return `- **${name}**:`
}
