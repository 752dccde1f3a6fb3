import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import type { Manifest, PackedPackage } from './pack.ts'
import { run } from './run.ts'

/** The fields that point to files which users load. */
const ENTRY_FIELDS: readonly string[] = ['exports', 'imports', 'bin', 'main', 'types', 'typesVersions']

/** The fields that are the same in every published manifest. */
const SAME: Readonly<Record<string, unknown>> = {
  license: 'MIT',
  type: 'module',
  sideEffects: false,
  publishConfig: { access: 'public' },
}

/**
 * The packages that receivers install. They ship CommonJS too, because many receivers run Jest or compile with
 * `moduleResolution` `node10` or `node16`.
 */
const ALSO_COMMONJS: ReadonlySet<string> = new Set(['@callboard/signature', '@callboard/client'])

/** Checks that a tarball is fit to publish. Throws one error that lists every problem. */
export async function lintPackage(packed: PackedPackage): Promise<void> {
  const { manifest, tarball } = packed
  await run('publint', ['--strict', tarball])
  const judgement = await run('attw', ['--profile', ALSO_COMMONJS.has(manifest.name) ? 'strict' : 'esm-only', tarball])
  const problems = [
    ...(judgement.includes('does not contain types') ? [judgement.trim()] : []),
    ...fieldProblems(manifest),
    ...(await fileProblems(packed)),
    ...(await linkProblems(packed)),
  ]
  if (problems.length > 0) throw new Error([`${manifest.name}:`, ...problems].join('\n  '))
}

function fieldProblems(manifest: Manifest): string[] {
  const { description, files, keywords, name, dependencies = {} } = manifest
  const problems = Object.entries(SAME)
    .filter(([field, value]) => JSON.stringify(manifest[field]) !== JSON.stringify(value))
    .map(([field, value]) => `package.json: ${field} is not ${JSON.stringify(value)}`)
  // `>=22.12` is allowed too, because a dependency may require a later version of Node 22.
  if (!/^\{"node":">=22(\.\d+){0,2}"\}$/.test(JSON.stringify(manifest['engines'])))
    problems.push('package.json: engines is not { node: ">=22" }')
  if (typeof description !== 'string' || !description.endsWith('.')) problems.push('package.json: no description')
  if (!Array.isArray(keywords) || !keywords.includes('callboard'))
    problems.push('package.json: keywords lack callboard')
  // Checks only that `files` lists CHANGELOG.md. The file itself is in no tarball until the first release writes it.
  if (!Array.isArray(files) || !files.includes('CHANGELOG.md')) problems.push('package.json: files lack CHANGELOG.md')
  // Receivers install `signature` without the rest of Callboard, even on edge runtimes, so it must have no
  // dependencies.
  if (name === '@callboard/signature' && Object.keys(dependencies).length > 0) problems.push('it has dependencies')
  return problems
}

/**
 * Checks that the tarball has the files that npm expects, the files that its entry points load, and no other code.
 * Refuses source maps, because the tarball lacks the sources. Stack traces are readable, because nothing is minified.
 */
async function fileProblems({ manifest, unpacked, files }: PackedPackage): Promise<string[]> {
  const paths = new Set(files.map(({ path }) => path))
  const problems = ['LICENSE', 'README.md'].filter((path) => !paths.has(path)).map((path) => `no ${path}`)
  const { dependencies, peerDependencies, name } = manifest
  const known = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])

  const reached = new Set(targetsOf(ENTRY_FIELDS.map((field) => manifest[field])))
  for (const path of reached) {
    if (!paths.has(path)) problems.push(`no ${path}`)
    else if (/\.c?[jt]s$/.test(path))
      for (const specifier of importsOf(await readFile(join(unpacked, path), 'utf8'))) {
        const isBuiltin = builtinModules.includes(specifier.replace(/^node:/, ''))
        if (specifier.startsWith('.')) reached.add(builtPath(path, specifier))
        else if (isBuiltin && /\.d\.c?ts$/.test(path)) problems.push(`${path} needs the types of Node`)
        else if (!isBuiltin && !specifier.startsWith('#') && !known.has(packageOf(specifier)))
          problems.push(`${path} imports ${specifier}, which package.json does not name`)
      }
  }
  const needless = [...paths].filter((path) => /^dist\/|\.(?:[cm]?[jt]sx?|map)$/.test(path) && !reached.has(path))
  return [...problems, ...needless.map((path) => `${path} is in the tarball, but no entry leads to it`)]
}

/** Lists Markdown links to files that are not in the tarball. A reader of the tarball might not have the repository. */
async function linkProblems({ unpacked, files }: PackedPackage): Promise<string[]> {
  const paths = new Set(files.map(({ path }) => path))
  const problems: string[] = []
  for (const page of [...paths].filter((path) => path.endsWith('.md'))) {
    const text = await readFile(join(unpacked, page), 'utf8')
    for (const [, inline, link = inline ?? ''] of text.matchAll(/\]\(<?([^)\s>#]+)|^\[[^\]]+\]: ([^\s#]+)/gm))
      if (!/^[a-z]+:/i.test(link) && !paths.has(join(dirname(page), link)))
        problems.push(`${page} links to ${link}, which is not in the tarball`)
  }
  return problems
}

/** All files that a field of a package.json, such as `exports`, points to under any condition. */
function targetsOf(field: unknown): string[] {
  if (typeof field === 'string') return [field.replace(/^\.\//, '')]
  return typeof field === 'object' && field !== null ? Object.values(field).flatMap(targetsOf) : []
}

const importsOf = (source: string): string[] =>
  ts.preProcessFile(source, true, true).importedFiles.map(({ fileName }) => fileName)

/** A declaration that imports `./other.js` means `./other.d.ts`, and `./other.cjs` means `./other.d.cts`. */
function builtPath(from: string, specifier: string): string {
  const path = join(dirname(from), specifier)
  return /\.d\.c?ts$/.test(from) ? path.replace(/\.(c?)js$/, '.d.$1ts') : path
}

/** `@callboard/router/node` → `@callboard/router`. */
const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
