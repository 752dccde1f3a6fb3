/** A part of a list, and where it goes on; null: nowhere. */
export interface Part<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/** As many as a page of Callboard's lists may hold. */
const PAGE = 100

/** Reads pages until there are so many, or no more. */
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
