import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** The absolute path of a file, given its path from the repository's root. */
export const absolute = (path: string): string => resolve(ROOT, path)

export const readSource = (path: string): string => readFileSync(absolute(path), 'utf8')

/** The Markdown files that match `patterns`, as paths from the repository's root. Includes uncommitted files. */
export function markdownFiles(...patterns: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns]
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
}
