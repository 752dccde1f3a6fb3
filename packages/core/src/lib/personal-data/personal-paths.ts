import type { MemberTree } from './json-cuts.ts'

/**
 * Whether a value is a personal-data path: keys joined by dots, relative to `data` (`order.buyer.name`). A step that
 * meets an array applies to each element. An empty key, or one with a dot, cannot be named.
 */
export function isPath(path: unknown): path is string {
  return typeof path === 'string' && path.length <= 255 && path.split('.').every((step) => step !== '')
}

/** Every value that a path leads to in JSON data; empty when there is none. */
export function valuesAt(data: unknown, path: string): unknown[] {
  return path
    .split('.')
    .reduce<unknown[]>(
      (found, step) =>
        found
          .flatMap(elements)
          .flatMap((value) => (isObject(value) && Object.hasOwn(value, step) ? [value[step]] : [])),
      [data],
    )
}

/** The value at a path through objects only; undefined when there is an array on the way. */
export function valueAt(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined), data)
}

/**
 * A short text that two lists of paths share exactly when they remove the same members. Order, repeats and paths within
 * others make no difference. It is stored with each event, so it must never change for the same paths.
 */
export function pathsFingerprint(paths: readonly string[]): string {
  const text = JSON.stringify(withoutCovered(paths).sort())
  // FNV-1a with 64 bits is enough to tell apart a handful of a platform's own lists, and it is synchronous.
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return hash.toString(16).padStart(16, '0')
}

/** The paths as a tree of keys, as they appear in JSON text. */
export function pathsTree(paths: readonly string[]): MemberTree {
  return treeOf(paths.map((path) => path.split('.')))
}

function treeOf(routes: readonly (readonly string[])[]): MemberTree {
  const branches = new Map<string, string[][]>()
  for (const [step = '', ...rest] of routes) branches.set(step, [...(branches.get(step) ?? []), rest])
  return {
    keys: [...branches.keys()].map((step) => `${JSON.stringify(step)}:`),
    children: [...branches.values()].map((rest) => (rest.some((route) => route.length === 0) ? null : treeOf(rest))),
  }
}

function withoutCovered(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)]
  return unique.filter((path) => !unique.some((other) => path.startsWith(`${other}.`)))
}

function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(elements) : [value]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
