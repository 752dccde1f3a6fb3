import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** How to run a TypeScript file, unbuilt: `spawn(command, [...args, file, ...itsArguments])`. */
export interface Runtime {
  readonly name: 'Node 22' | 'Node 24' | 'Node 26' | 'Bun' | 'Deno'
  /** The binary itself: npm's wrappers would take the signals in its place. */
  readonly command: string
  readonly args: readonly string[]
}

const binary = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))
const deno = process.platform === 'win32' ? 'deno.exe' : 'deno'

/** The oldest and the newest Node that are promised and the one between, Bun and Deno, as npm installed them. */
export const RUNTIMES: readonly Runtime[] = [
  { name: 'Node 22', command: binary('node-22/bin/node'), args: [] },
  { name: 'Node 24', command: binary('node-24/bin/node'), args: [] },
  { name: 'Node 26', command: binary('node-26/bin/node'), args: [] },
  { name: 'Bun', command: binary('bun/bin/bun.exe'), args: [] },
  { name: 'Deno', command: binary(`deno/${deno}`), args: ['run', '-A'] },
]

const oldBun = binary('bun-1.1/bin/bun')

/** A Bun that ignores look-ups and agents, on which nothing may start; `undefined` where there is none for this machine. */
export const OLD_BUN: string | undefined = existsSync(oldBun) ? oldBun : undefined
