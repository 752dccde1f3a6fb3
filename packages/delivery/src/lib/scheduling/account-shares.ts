/** How much of a limited resource the accounts hold. */
export interface AccountShares {
  total(): number
  /**
   * How much more of the resource an account may take, given the resource's limit. An account may take one more unit
   * only while it holds fewer units than are free. One account alone therefore gets half of the units, two accounts get
   * a third each, and a new account always finds some free. Network switches share buffers between their ports by the
   * same rule (Choudhury and Hahne, "Dynamic queue length thresholds", 1998).
   */
  room(accountId: string, limit: number): number
  change(accountId: string, by: number): void
  /** Each account that holds part of the resource, with how much it holds. */
  entries(): IterableIterator<[string, number]>
}

export function createAccountShares(): AccountShares {
  const held = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    room: (accountId, limit) => Math.max(0, Math.ceil((limit - total - (held.get(accountId) ?? 0)) / 2)),
    change(accountId, by) {
      total += by
      const left = (held.get(accountId) ?? 0) + by
      if (left > 0) held.set(accountId, left)
      else held.delete(accountId)
    },
    entries: () => held.entries(),
  }
}
