import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publishedFolders, readManifest } from './pack.ts'
import { run } from './run.ts'

/** What a package gets at the next release. */
export interface PlannedPackage {
  readonly name: string
  readonly now: string
  readonly next: string
}

/**
 * Lets `changeset version` loose on a copy of the manifests and changesets, and gives what became of every published
 * package; throws when they do not all get one version and a changelog that has it. The fixed group of
 * `.changeset/config.json` has that so, and a package by a new kind of name is not in it by itself. `changeset` takes the place
 * of those that wait.
 */
export async function planRelease(changeset?: string): Promise<readonly PlannedPackage[]> {
  const copy = await mkdtemp(join(tmpdir(), 'callboard-release-'))
  try {
    const wanted = ['.changeset', 'pnpm-workspace.yaml', 'package.json', '*/package.json', '*/CHANGELOG.md']
    const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...wanted])
    for (const file of listed.split('\n')) if (existsSync(file)) await cp(file, join(copy, file))
    if (changeset !== undefined) {
      for (const file of await readdir(join(copy, '.changeset')))
        if (file.endsWith('.md')) await rm(join(copy, '.changeset', file))
      await writeFile(join(copy, '.changeset/only.md'), changeset)
    }
    // The changelog names the commit that a changeset came with.
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=copy', '-c', 'user.email=copy@localhost', ...args], { cwd: copy })
    await git('init', '--quiet')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'Copy')
    await run(resolve('node_modules/.bin/changeset'), ['version'], { cwd: copy })
    return await compare(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

async function compare(copy: string): Promise<readonly PlannedPackage[]> {
  const planned: PlannedPackage[] = []
  for (const folder of await publishedFolders()) {
    const path = join('packages', folder)
    const [now, next] = await Promise.all([
      readManifest(join(path, 'package.json')),
      readManifest(join(copy, path, 'package.json')),
    ])
    const changelog = await readFile(join(copy, path, 'CHANGELOG.md'), 'utf8').catch(() => '')
    const released = next.version !== now.version && changelog.includes(`\n## ${next.version}\n`)
    planned.push({ name: now.name, now: now.version, next: released ? next.version : 'not released' })
  }
  if (new Set(planned.map((each) => each.next)).size === 1 && planned[0]?.next !== 'not released') return planned
  const list = planned.map(({ name, next }) => `\n  ${name}: ${next}`).join('')
  throw new Error(`All packages must be in one fixed group of .changeset/config.json. They would be released as${list}`)
}
