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
  const files = Object.entries({ ...templates.every, ...templates[project.framework] })
  return files.map(([template, text]) => ({
    path: posix.join(project.source, named(template, project)),
    text: text.replace(
      /'(\.{1,2}\/[^']*\.ts)'/g,
      (_, imported: string) => `'${asImported(named(imported, project), project)}'`,
    ),
  }))
}

/** The files that Node runs, with `await` outside functions. */
const SCRIPTS = /^(?:customer|receiver|server)\.ts$/

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
