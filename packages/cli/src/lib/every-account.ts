import type { Callboard } from '@callboard/core'

const PAGE = 1_000

/** Yields the id of the given account or, if none is given, the ids of all accounts. */
export async function* everyAccount({ accounts }: Callboard, account: string | undefined): AsyncGenerator<string> {
  if (account !== undefined) return yield account
  let after: string | undefined
  for (;;) {
    const page = await accounts.list({ after, limit: PAGE })
    for (const { id } of page) yield id
    if (page.length < PAGE) return
    after = page.at(-1)?.id
  }
}
