import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createJiti } from 'jiti'
import { CommandError, wrongUsage } from './command-error.ts'
import type { CallboardConfig } from './define-config.ts'
import { asSentence } from './failure.ts'
import { withoutModuleAdvice } from './without-module-advice.ts'

const NAMES = ['ts', 'mts', 'js', 'mjs'].map((extension) => `callboard.config.${extension}`)

/**
 * Loads the config module at the path `named` or, if that is undefined, the config module in `folder`. Returns
 * undefined if the folder has none. If the runtime cannot load the module, jiti does: it also handles TypeScript on
 * Node before 22.18, enums, imports without an extension, and the `paths` of a tsconfig.
 */
export async function loadConfig(folder: string, named: string | undefined): Promise<CallboardConfig | undefined> {
  const path = findConfig(folder, named)
  if (path === undefined) return undefined
  const jiti = createJiti(pathToFileURL(path).href, { tryNative: true, tsconfigPaths: true, fsCache: false })
  let config: unknown
  try {
    config = await withoutModuleAdvice(() => jiti.import(path, { default: true }))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(
      `${path} could not be loaded: ${asSentence(reason)} If DATABASE_URL is enough for this command, add --no-config.`,
      { cause: error },
    )
  }
  const exported = defaultOf(config)
  if (isConfig(exported)) return exported
  throw new CommandError(`${path} must contain: export default defineConfig({ callboard, pool })`)
}

/** In a module that was compiled to CommonJS, the default export is the `default` of what Node imports as default. */
function defaultOf(imported: unknown): unknown {
  return typeof imported === 'object' && imported !== null && 'default' in imported ? imported.default : imported
}

/** The path of the config module, if the folder has one or `named` names one. */
export function findConfig(folder: string, named: string | undefined): string | undefined {
  if (named === undefined) return NAMES.map((name) => resolve(folder, name)).find((path) => existsSync(path))
  const path = resolve(folder, named)
  if (!existsSync(path)) throw wrongUsage(`There is no file ${path}.`)
  return path
}

function isConfig(value: unknown): value is CallboardConfig {
  if (typeof value !== 'object' || value === null || !('callboard' in value)) return false
  const { callboard } = value
  return typeof callboard === 'object' && callboard !== null && 'publish' in callboard && 'subscriptions' in callboard
}
