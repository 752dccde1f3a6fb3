/** By the extension of a file, or by its name if it has none. */
const LANGUAGES: Readonly<Record<string, string>> = {
  Dockerfile: 'dockerfile',
  go: 'go',
  php: 'php',
  py: 'python',
  ru: 'ruby',
  service: 'ini',
  sql: 'sql',
  ts: 'ts',
  yaml: 'yaml',
}

/** A comment such as `<!-- code: examples/docs/src/start/server.ts#sell -->`, and the block after it, if any. */
const NAMED_BLOCK = /^<!-- code: ([^\s#]+)(?:#(\S+))? -->\n(?:```\w+\n.*?^```\n)?/gms

/** A block of code in a language that can be run, and the line before the block. */
const RUNNABLE_BLOCK = new RegExp(`^(.*)\n\`\`\`(?:${Object.values(LANGUAGES).join('|')}|typescript|js)\n`, 'gm')

/** Updates every block that names a source. `read` takes a path from the repository's root. */
export function fillCodeBlocks(page: string, read: (path: string) => string): string {
  return page.replace(NAMED_BLOCK, (_, path: string, region: string | undefined) => {
    const language = LANGUAGES[path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf('/')) + 1)]
    if (language === undefined) throw new Error(`${path}: add its file extension to LANGUAGES`)
    const code = region === undefined ? withoutMarkers(read(path).split('\n')) : regionOf(read(path), region, path)
    const name = region === undefined ? path : `${path}#${region}`
    return `<!-- code: ${name} -->\n\`\`\`${language}\n${code}\n\`\`\`\n`
  })
}

/**
 * Returns the line before each block of code that names no source. No test runs these blocks, so nobody would notice if
 * one broke.
 */
export function unsourcedBlocks(page: string): string[] {
  return [...page.matchAll(RUNNABLE_BLOCK)].flatMap(([, before = '']) =>
    before.startsWith('<!-- code: ') ? [] : [before],
  )
}

const MARKER = /^\s*(?:\/\/|#|--) ?#(region|endregion)\b ?(\S*)/

/** The lines between `// #region name` and its `// #endregion`; regions of the same name are joined. */
function regionOf(source: string, name: string, path: string): string {
  const taken: string[] = []
  let depth = 0
  for (const line of source.split('\n')) {
    const [, kind, label] = MARKER.exec(line) ?? []
    if (depth > 0) taken.push(line)
    if (kind === 'region' && (depth > 0 || label === name)) depth += 1
    if (kind === 'endregion' && depth > 0) depth -= 1
  }
  if (taken.length === 0 || depth > 0) throw new Error(`${path}: region ${name} is missing or not closed`)
  return withoutMarkers(taken)
}

function withoutMarkers(lines: readonly string[]): string {
  const shown = lines.filter((line) => !MARKER.test(line))
  const indents = shown.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0)
  const indent = Math.min(...indents)
  return shown
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()
}
