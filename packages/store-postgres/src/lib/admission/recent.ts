export interface Recent {
  has(item: string): boolean
  add(item: string): void
}

/** A set that forgets everything when it is full, so that it never grows beyond `most` items. */
export function createRecent(most: number): Recent {
  const items = new Set<string>()
  return {
    has: (item) => items.has(item),
    add(item) {
      if (items.size === most && !items.has(item)) items.clear()
      items.add(item)
    },
  }
}
