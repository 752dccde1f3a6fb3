import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** How to run a TypeScript file without a build: `spawn(command, [...args, file, ...itsArguments])`. */
export interface Runtime {
  readonly name: 'Node 22' | 'Node 24' | 'Node 26' | 'Bun' | 'Deno'
  /** The binary itself: with npm's wrapper script, signals would reach the script instead of the binary. */
  readonly command: string
  readonly args: readonly string[]
}

const binary = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))
const deno = process.platform === 'win32' ? 'deno.exe' : 'deno'

/** The supported versions of Node, from oldest to newest, and Bun and Deno, as installed by npm. */
export const RUNTIMES: readonly Runtime[] = [
  { name: 'Node 22', command: binary('node-22/bin/node'), args: [] },
  { name: 'Node 24', command: binary('node-24/bin/node'), args: [] },
  { name: 'Node 26', command: binary('node-26/bin/node'), args: [] },
  { name: 'Bun', command: binary('bun/bin/bun.exe'), args: [] },
  { name: 'Deno', command: binary(`deno/${deno}`), args: ['run', '-A'] },
]

const oldBun = binary('bun-1.1/bin/bun')

/**
 * A Bun that ignores resolvers and agents, so no worker may start on it; `undefined` if it is not available for this
 * machine.
 */
export const OLD_BUN: string | undefined = existsSync(oldBun) ? oldBun : undefined
