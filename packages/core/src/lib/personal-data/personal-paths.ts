import type { MemberTree } from './json-cuts.ts'

/**
 * Whether a value is a personal-data path: keys joined by dots, relative to `data` (`order.buyer.name`). After a key
 * that leads to an array, the next key applies to each element. A path cannot name a key that is empty or contains a
 * dot.
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

function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(elements) : [value]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
