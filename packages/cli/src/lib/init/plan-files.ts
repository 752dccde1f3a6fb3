import { posix } from 'node:path'
import type { Project } from './read-project.ts'
import { javascript, typescript } from './templates.generated.ts'

/** A file to write. */
export interface PlannedFile {
  /** Path in the project's folder, with `/`. */
  readonly path: string
  readonly text: string
}

/** Plans the files for a project, with its module system and its way of importing. */
export function planFiles(project: Project): PlannedFile[] {
  const templates = project.typescript ? typescript : javascript
  const { [CONFIG]: config = '', ...every } = templates.every
  const files = Object.entries({ ...every, ...templates[project.framework] })
  return [
    ...files.map(([template, text]) => ({
      path: sourceOf(template, project),
      text: text.replace(IMPORTED, (_, imported: string) => `'${asImported(named(imported, project), project)}'`),
    })),
    planConfig(config, project),
  ]
}

const CONFIG = 'callboard.config.ts'
const IMPORTED = /'(\.{1,2}\/[^']*\.ts)'/g

/**
 * The config module, which imports what Node runs. It is JavaScript if the compiler writes files: another source in the
 * project's own folder would change where the compiler writes the rest.
 */
function planConfig(text: string, project: Project): PlannedFile {
  const source = sourceOf('callboard.ts', project)
  const output = outputOf(source, project)
  const typescript = project.typescript && (project.tsconfig === undefined || !emits(project))
  return {
    path: project.config ?? named(CONFIG, { ...project, typescript }),
    text: text.replace(IMPORTED, `'./${output === source ? asImported(source, project) : output}'`),
  }
}

function sourceOf(template: string, project: Project): string {
  return posix.join(project.source, named(template, project))
}

/** The file that Node runs for a source: what the compiler writes for it, if it compiles. Otherwise the source. */
export function outputOf(path: string, project: Project): string {
  if (!project.typescript || !importsOutput(project) || !emits(project)) return path
  const { outDir = '.', rootDir = project.source } = project.tsconfig ?? {}
  const compiled = usesNestBuild(project) ? project.source : rootDir
  return posix.join(outDir, posix.relative(compiled, path).replace(/ts$/, 'js'))
}

/** `nest build` takes tsconfig.build.json, whose root is the folder of the sources. */
export function usesNestBuild({ framework, installed }: Project): boolean {
  return framework === 'nest' && installed.has('@nestjs/cli')
}

/** Whether the compiler writes files. */
export function emits({ tsconfig }: Project): boolean {
  return tsconfig?.noEmit !== true && tsconfig?.emitDeclarationOnly !== true
}

/** The files that Node loads directly, some with `await` outside functions. */
const SCRIPTS = /^(?:callboard\.config|customer|receiver|server)\.ts$/

/**
 * The name of a file. Unless files are ES modules by default, they are named `.mts` or `.mjs`. Nest and Next have names
 * of their own for what they load.
 */
function named(template: string, { typescript: isTypeScript, esm, framework }: Project): string {
  const named = (framework === 'nest' || framework === 'next') && !SCRIPTS.test(posix.basename(template))
  const module = esm || named ? '' : 'm'
  return template.replace(/ts$/, `${module}${isTypeScript ? 'ts' : 'js'}`)
}

function asImported(path: string, project: Project): string {
  return importsOutput(project) ? path.replace(/ts$/, 'js') : path
}

/**
 * Whether imports name the compiled file, such as `./callboard.js`. Otherwise they name the source, which Node can then
 * run directly.
 */
export function importsOutput({ tsconfig, framework }: Project): boolean {
  if (tsconfig === undefined || framework === 'next') return false
  const { allowImportingTsExtensions, rewriteRelativeImportExtensions } = tsconfig
  return allowImportingTsExtensions !== true && rewriteRelativeImportExtensions !== true
}
