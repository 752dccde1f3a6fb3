/**
 * An answer of a store without what two stores may answer differently: epochs, and the order of the entries of a map.
 */
export function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Map) return comparable([...value].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const entries = Object.entries(value).filter(([key, each]) => key !== 'epoch' && each !== undefined)
  return Object.fromEntries(entries.map(([key, each]) => [key, comparable(each)]))
}

export function byId<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
