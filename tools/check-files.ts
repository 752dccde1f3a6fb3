// Refuses files that work on one machine only: symlinks, and files that name a path in somebody's home folder. A
// symlink committed by accident once crashed Biome in CI.
import { lstat, readFile } from 'node:fs/promises'
import { run } from './run.ts'

const HOME = /(?:\/home|\/Users)\/\w+|\/root\//
const problems: string[] = []
const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
for (const file of listed.split('\0').filter((name) => name !== '')) {
  const found = await lstat(file).catch(() => undefined)
  if (found?.isSymbolicLink()) problems.push(`${file} is a symlink`)
  else if (found?.isFile()) {
    const [path] = HOME.exec(await readFile(file, 'latin1')) ?? []
    if (path !== undefined) problems.push(`${file} names ${path}, a path that exists on one machine only`)
  }
}
if (problems.length > 0) throw new Error(['Files that work on one machine only:', ...problems].join('\n  '))
