import type { DuePlace, RequestOf } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { createDueSearch } from './due-search.ts'

/** A search in a store whose answers take `tookMs` and have `pages` pages. The n-th call returns the place n. */
function start({ tookMs = 0, pages = 1 }: { tookMs?: number; pages?: number } = {}) {
  const asked: RequestOf<'deliveries', 'due'>['after'][] = []
  let now = 0
  const search = createDueSearch(
    {
      async due({ after }) {
        asked.push(after)
        now += tookMs
        return { lanes: [], place: place(asked.length), rest: pageOf(after) < pages }
      },
    },
    () => now,
  )
  /** The number of the page that is being read, counted from the last call without a place. */
  const pageOf = (after: DuePlace | undefined): number => {
    if (after === undefined) return 1
    return asked.length - asked.lastIndexOf(undefined)
  }
  return {
    search,
    asked,
    pass: (ms: number) => {
      now += ms
    },
  }
}

function place(n: number): DuePlace {
  return { since: n, last: undefined }
}

describe('the search for due lanes', () => {
  it('continues where the previous search ended', async () => {
    const { search, asked } = start()
    for (let n = 0; n < 3; n++) await search.next()
    expect(asked).toEqual([undefined, place(1), place(2)])
  })

  it('starts over after a fifth of a second if searches are quick', async () => {
    const { search, asked, pass } = start()
    await search.next()
    pass(199)
    await search.next()
    pass(1)
    await search.next()
    expect(asked).toEqual([undefined, place(1), undefined])
  })

  it('spends at most a fortieth of the time on searches from the start, counting all their pages', async () => {
    const { search, asked, pass } = start({ tookMs: 10, pages: 3 })
    for (let n = 0; n < 3; n++) expect((await search.next()).rest).toBe(n < 2)
    expect(asked).toEqual([undefined, place(1), place(2)])
    pass(1_199)
    await search.next()
    expect(asked.at(-1)).toEqual(place(3))
    await search.next()
    expect(asked.at(-1)).toBeUndefined()
  })

  it('starts over after at most five seconds, however long a search from the start takes', async () => {
    const { search, asked, pass } = start({ tookMs: 1_000 })
    await search.next()
    pass(4_999)
    await search.next()
    expect(asked).toEqual([undefined, place(1)])
    await search.next()
    expect(asked.at(-1)).toBeUndefined()
  })

  it('does not start over before it has read all pages', async () => {
    const { search, asked, pass } = start({ pages: 3 })
    await search.next()
    pass(60_000)
    await search.next()
    await search.next()
    expect(asked).toEqual([undefined, place(1), place(2)])
  })

  it('starts over at once when told to', async () => {
    const { search, asked } = start()
    await search.next()
    search.restart()
    await search.next()
    expect(asked).toEqual([undefined, undefined])
  })

  it('asks for the same lanes again after an error', async () => {
    const asked: RequestOf<'deliveries', 'due'>['after'][] = []
    const search = createDueSearch(
      {
        async due({ after }) {
          asked.push(after)
          if (asked.length === 2) throw new Error('the store cannot be reached')
          return { lanes: [], place: place(asked.length), rest: false }
        },
      },
      () => 0,
    )
    await search.next()
    await expect(search.next()).rejects.toThrow('cannot be reached')
    await search.next()
    expect(asked).toEqual([undefined, place(1), place(1)])
  })
})
