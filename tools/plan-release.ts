import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publishedFolders, readManifest } from './pack.ts'
import { run } from './run.ts'

/** The outcome of the next release for one package. */
export interface PlannedPackage {
  readonly name: string
  readonly now: string
  readonly next: string
  /** The section for `next` in the package's `CHANGELOG.md`, without the heading. */
  readonly changes: string
}

interface Changeset {
  readonly packages: readonly string[]
  readonly lines: readonly string[]
}

/**
 * Runs `changeset version` on a copy of the manifests and changesets, and returns the outcome for every published
 * package. `changeset`, if given, replaces the pending changesets. Throws unless
 * - all packages get the same new version (they do not if a package is missing from the fixed group),
 * - each `CHANGELOG.md` contains every changeset of its package, and
 * - without `changeset`, every package that was never released has a changelog entry.
 */
export async function planRelease(changeset?: string): Promise<readonly PlannedPackage[]> {
  const copy = await mkdtemp(join(tmpdir(), 'callboard-release-'))
  try {
    const wanted = ['.changeset', 'pnpm-workspace.yaml', 'package.json', '*/package.json', '*/CHANGELOG.md']
    const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...wanted])
    for (const file of listed.split('\n')) if (existsSync(file)) await cp(file, join(copy, file))
    if (changeset !== undefined) {
      for (const file of await changesetFiles(copy)) await rm(file)
      await writeFile(join(copy, '.changeset/only.md'), changeset)
    }
    // The copy needs a commit, because the changelog names the commit that added each changeset.
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=copy', '-c', 'user.email=copy@localhost', ...args], { cwd: copy })
    await git('init', '--quiet')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'Copy')
    const changesets = await Promise.all((await changesetFiles(copy)).map(readChangeset))
    if (changesets.length === 0) throw new Error('No changeset is pending, so nothing would be released.')
    await run(resolve('node_modules/.bin/changeset'), ['version'], { cwd: copy })
    const planned = await Promise.all((await publishedFolders()).map((folder) => plan(copy, folder)))
    assertOneVersion(planned)
    // If `changeset` is given, packages that it does not name may lack a changelog entry.
    assertTold(planned, changesets, changeset === undefined)
    return planned
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

async function changesetFiles(copy: string): Promise<string[]> {
  const folder = join(copy, '.changeset')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md') && file !== 'README.md')
  return files.map((file) => join(folder, file))
}

async function readChangeset(file: string): Promise<Changeset> {
  const [, head = '', text = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(await readFile(file, 'utf8')) ?? []
  const packages = [...head.matchAll(/^['"]?([^'"\s]+)['"]?: *\w+$/gm)].flatMap(([, name]) => name ?? [])
  return { packages, lines: text.split('\n').flatMap((line) => line.trim() || []) }
}

async function plan(copy: string, folder: string): Promise<PlannedPackage> {
  const path = join('packages', folder)
  const { name, version: now } = await readManifest(join(path, 'package.json'))
  const { version: next } = await readManifest(join(copy, path, 'package.json'))
  const changelog = await readFile(join(copy, path, 'CHANGELOG.md'), 'utf8').catch(() => '')
  const changes = sectionOf(changelog, next)
  return next === now || changes === undefined
    ? { name, now, next: 'not released', changes: '' }
    : { name, now, next, changes }
}

function sectionOf(changelog: string, version: string): string | undefined {
  const section = changelog.split(/^## /m).find((part) => part.startsWith(`${version}\n`))
  return section?.slice(version.length).trim()
}

function assertOneVersion(planned: readonly PlannedPackage[]): void {
  if (new Set(planned.map(({ next }) => next)).size === 1 && planned[0]?.next !== 'not released') return
  const list = planned.map(({ name, next }) => `\n  ${name}: ${next}`).join('')
  throw new Error(`All packages must be in one fixed group of .changeset/config.json. They would be released as${list}`)
}

function assertTold(planned: readonly PlannedPackage[], changesets: readonly Changeset[], each: boolean): void {
  for (const { name, now, changes } of planned) {
    const lines = changesets.filter(({ packages }) => packages.includes(name)).flatMap((changeset) => changeset.lines)
    const lost = lines.find((line) => !changes.includes(line))
    if (lost !== undefined) throw new Error(`The changelog of ${name} lacks this line of its changeset: ${lost}`)
    if (each && now === '0.0.0' && lines.length === 0)
      throw new Error(`${name} was never released, and no changeset describes it. Write .changeset/<name>.md.`)
  }
}
