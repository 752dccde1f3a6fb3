/** The items of one or more pages of a list. */
export interface Part<Item> {
  readonly items: readonly Item[]
  /** The cursor of the next page; null if there are no more pages. */
  readonly nextCursor: string | null
}

/** The largest page that Callboard's lists return. */
const PAGE = 100

/** Reads pages until there are `limit` items, or no more pages. */
export async function readPages<Item>(
  limit: number,
  start: string | undefined,
  read: (query: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Part<Item>>,
): Promise<Part<Item>> {
  const items: Item[] = []
  let cursor = start
  for (;;) {
    const page = await read({ limit: Math.min(limit - items.length, PAGE), cursor })
    items.push(...page.items)
    if (page.nextCursor === null || items.length >= limit) return { items, nextCursor: page.nextCursor }
    cursor = page.nextCursor
  }
}
