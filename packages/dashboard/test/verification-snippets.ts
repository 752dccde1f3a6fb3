import { readFileSync } from 'node:fs'

/** The languages of docs/receiving.md: its heading, the source that a test runs, and how a line of comment begins. */
const LANGUAGES = [
  { name: 'Node', heading: 'Node, Bun, Deno, workers', file: 'receive.ts', comment: '//' },
  { name: 'Python', heading: 'Python', file: 'receive.py', comment: '#' },
  { name: 'PHP', heading: 'PHP', file: 'receive.php', comment: '//' },
  { name: 'Go', heading: 'Go', file: 'receive.go', comment: '//' },
  { name: 'Ruby', heading: 'Ruby', file: 'receive.ru', comment: '#' },
] as const

const root = new URL('../../../', import.meta.url)

/** The text of `generated.ts`: what examples/docs/src/receiving runs, with the line that installs what it needs, from the docs' page. */
export function verificationSnippets(): string {
  const page = readFileSync(new URL('docs/receiving.md', root), 'utf8')
  const snippets = LANGUAGES.map(({ name, heading, file, comment }) => {
    const source = readFileSync(new URL(`examples/docs/src/receiving/${file}`, root), 'utf8').trim()
    const install = `${comment} ${installLine(page, heading)}`
    const code = source.startsWith('<?php\n') ? source.replace('\n', `\n${install}\n`) : `${install}\n${source}`
    return `  { name: ${JSON.stringify(name)}, code: ${JSON.stringify(code)} },\n`
  })
  return [
    '// Made by `pnpm docs:code` of examples/docs/src/receiving and docs/receiving.md; do not edit.',
    "import type { Snippet } from '../../../components/code-tabs.ts'",
    '',
    '/** How a receiver verifies deliveries, in the languages of the docs; the secret is read from its environment. */',
    `export const snippets: readonly Snippet[] = [\n${snippets.join('')}]\n`,
  ].join('\n')
}

function installLine(page: string, heading: string): string {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`))
  const [, line] = /```sh\n(.*)\n```/.exec(section) ?? []
  if (line === undefined) throw new Error(`docs/receiving.md says nowhere how to install what ${heading} needs`)
  return line
}
