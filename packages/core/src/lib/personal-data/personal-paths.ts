import type { MemberTree } from './json-cuts.ts'

/**
 * Whether a value is a personal-data path: keys joined by dots, relative to `data` (`order.buyer.name`). A step that
 * leads to an array applies to each element. A path cannot name a key that is empty or contains a dot.
 */
export function isPath(path: unknown): path is string {
  return typeof path === 'string' && path.length <= 255 && path.split('.').every((step) => step !== '')
}

/** All values that a path leads to in JSON data; empty when the path leads to no value. */
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

/** The value at the end of a path; undefined when the value is missing or the path leads through an array. */
export function valueAt(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined), data)
}

/**
 * A short string that is equal for two lists of paths exactly when both lists remove the same members. Order,
 * duplicates, and paths inside other paths make no difference. The fingerprint is stored with each event, so the
 * fingerprint of a list must never change.
 */
export function pathsFingerprint(paths: readonly string[]): string {
  const text = JSON.stringify(withoutCovered(paths).sort())
  // 64-bit FNV-1a is synchronous, unlike WebCrypto, and long enough to distinguish the few lists of one platform.
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return hash.toString(16).padStart(16, '0')
}

/** Turns paths into a tree of keys, which are written as they appear in JSON text (`"name":`). */
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
