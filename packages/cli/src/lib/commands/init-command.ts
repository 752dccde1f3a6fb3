import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { examples } from '../examples.ts'
import { FRAMEWORKS, type Framework } from '../init/templates.ts'

interface InitOptions {
  readonly framework?: Framework
  readonly dryRun?: boolean
}

const MANIFEST = { path: 'package.json', text: '{ "private": true, "type": "module" }\n' }

/** `callboard init`. */
export function initCommand(context: CommandContext): Command {
  const { out, err, folder } = context
  return new Command('init')
    .summary('write the first files into your project')
    .description(
      'Writes a platform with one event type, a first customer, a server, a receiver and the config module into this ' +
        'folder, for the framework, the language and the module system that it finds. Overwrites no file.',
    )
    .addOption(new Option('--framework <name>', 'the framework (default: found in package.json)').choices(FRAMEWORKS))
    .option('--dry-run', 'only say which files it would write')
    .addHelpText('after', examples('npx callboard init', 'npx callboard init --framework hono --dry-run'))
    .action(async ({ framework: named, dryRun = false }: InitOptions) => {
      // Loaded only here, because no other command needs the files.
      const [{ nextSteps }, { planFiles }, { readProject }] = await Promise.all([
        import('../init/next-steps.ts'),
        import('../init/plan-files.ts'),
        import('../init/read-project.ts'),
      ])
      const found = await readProject(folder)
      const framework = named ?? found.framework
      // Nest's decorators need TypeScript.
      const project = { ...found, framework, typescript: found.typescript || framework === 'nest' }
      const files = planFiles(project)
      const written: string[] = []
      const skipped: string[] = []
      for (const { path, text } of project.hasManifest ? files : [MANIFEST, ...files]) {
        const isNew = dryRun ? !existsSync(join(folder, path)) : await create(join(folder, path), text)
        ;(isNew ? written : skipped).push(path)
      }
      const { typescript } = project
      const next = nextSteps(project, files, skipped)
      if (out.json) return out.document({ framework, typescript, written, skipped, next })
      for (const path of written) out.line(path)
      for (const path of skipped) err.note(`${path} is there already, and stays as it is.`)
      const verb = dryRun ? 'Would write' : 'Wrote'
      err.note(`${verb} ${written.length} files (${framework}, ${typescript ? 'TypeScript' : 'JavaScript'}).`)
      for (const { what, run } of next) err.note(`\n${what}\n${run.map((line) => `  ${line}`).join('\n')}`)
    })
}

/** Writes a file unless it is there already. */
async function create(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
