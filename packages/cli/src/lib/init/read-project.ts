import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { getTsconfig, type TsConfigJsonResolved } from 'get-tsconfig'
import { type Agent, detect } from 'package-manager-detector'
import * as z from 'zod'
import { CommandError } from '../command-error.ts'
import { asSentence } from '../failure.ts'
import { findConfig } from '../load-config.ts'
import type { Framework } from './templates.ts'

/** What `callboard init` finds in a folder. */
export interface Project {
  readonly framework: Framework
  readonly typescript: boolean
  /** Whether files are ES modules by default: `"type": "module"` in package.json, or no package.json yet. */
  readonly esm: boolean
  readonly hasManifest: boolean
  /** The packages that package.json already names. */
  readonly installed: ReadonlySet<string>
  readonly tsconfig: TsConfigJsonResolved['compilerOptions']
  readonly packageManager: Agent
  /** The folder of the project's own code: `src` if there is one, otherwise `.`. */
  readonly source: string
  /** The name of the config module, if the project has one. */
  readonly config: string | undefined
}

const manifestSchema = z.object({
  type: z.string().optional(),
  dependencies: z.record(z.string(), z.unknown()).default({}),
  devDependencies: z.record(z.string(), z.unknown()).default({}),
})

/** The package by which each framework is recognised, most specific first: Nest projects also depend on Express. */
const RECOGNISED_BY = [
  ['next', 'next'],
  ['@nestjs/core', 'nest'],
  ['fastify', 'fastify'],
  ['express', 'express'],
  ['hono', 'hono'],
] as const

export async function readProject(folder: string): Promise<Project> {
  const manifest = await readManifest(folder)
  const installed = new Set(Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies }))
  const hasTsconfig = existsSync(join(folder, 'tsconfig.json'))
  const source = existsSync(join(folder, 'src')) ? 'src' : '.'
  const hasTypeScript = (await readdir(join(folder, source))).some((name) => /\.m?tsx?$/.test(name))
  const config = findConfig(folder, undefined)
  const [, framework] = RECOGNISED_BY.find(([name]) => installed.has(name)) ?? ['', 'node' as const]
  return {
    framework,
    typescript: manifest === undefined || hasTsconfig || hasTypeScript || installed.has('typescript'),
    esm: manifest === undefined || manifest.type === 'module',
    hasManifest: manifest !== undefined,
    installed,
    tsconfig: hasTsconfig ? compilerOptionsOf(folder) : undefined,
    packageManager: (await detect({ cwd: folder }))?.agent ?? 'npm',
    source,
    config: config === undefined ? undefined : basename(config),
  }
}

function compilerOptionsOf(folder: string): Project['tsconfig'] {
  try {
    return getTsconfig(folder)?.config.compilerOptions ?? {}
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(
      `tsconfig.json cannot be read: ${asSentence(reason)} Install the packages that it extends, or correct it.`,
      { cause },
    )
  }
}

async function readManifest(folder: string): Promise<z.infer<typeof manifestSchema> | undefined> {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    return manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (cause) {
    throw new CommandError('package.json cannot be read. Correct it first.', { cause })
  }
}
