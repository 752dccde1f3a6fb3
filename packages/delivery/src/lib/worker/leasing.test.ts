import type { LeasedLane, LeaseRequest } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { createLeasing } from './leasing.ts'
import { createWaker } from './waker.ts'
import { readWorkerOptions } from './worker-options.ts'

const POLL_MS = 3_600_000

function lane(n: number): LeasedLane {
  return {
    lease: { accountId: 'acc', mode: 'live', id: `sub_${n}`, epoch: 1 },
    targetUrl: 'https://example.com/',
    secrets: [],
    standing: { deliverable: true, hold: undefined, personalData: false },
    cursor: 0,
    through: 0,
    failures: 0,
    deliveries: [],
  }
}

/**
 * Starts leasing with two slots for healthy and two for slow targets. Each list gives the number of lanes that
 * successive looks for work find. A visit lasts until its `end` is called.
 */
function start({ healthy = [], slow = [] }: { healthy?: number[]; slow?: number[] }) {
  const asked: ('healthy' | 'slow')[] = []
  const visits: { sent: () => void; end: () => void }[] = []
  const stopping = new AbortController()
  const waker = createWaker()
  const looks = { healthy: [...healthy], slow: [...slow] }
  const leasing = createLeasing({
    store: {
      async lease(request: LeaseRequest) {
        const kind = request.slow ? 'slow' : 'healthy'
        asked.push(kind)
        return Array.from({ length: looks[kind].shift() ?? 0 }, (_, n) => lane(n))
      },
      sweep: async () => 0,
    },
    worker: 'w',
    settings: readWorkerOptions(
      { lanes: 2, slowLanes: 2, pollMs: POLL_MS, patienceMs: POLL_MS },
      Number.POSITIVE_INFINITY,
    ),
    visit: (_lane, sent) => new Promise((end) => void visits.push({ sent, end })),
    waker,
    stopping: stopping.signal,
    elapsed: () => 0,
    onError: (error) => expect.unreachable(String(error)),
  })
  const stopped = leasing.run()
  return {
    asked,
    visits,
    waker,
    /** Resolves once leasing makes no more calls by itself. */
    settled: () => new Promise<void>((resolve) => setImmediate(resolve)),
    async stop() {
      stopping.abort()
      for (const { end } of visits) end()
      await stopped
      await leasing.visited()
    },
  }
}

describe('leasing', () => {
  it('looks for lanes with slow targets after those with healthy targets, but not on every wake-up', async () => {
    const { asked, waker, settled, stop } = start({})
    await settled()
    expect(asked).toEqual(['healthy', 'slow'])
    waker.wake()
    await settled()
    expect(asked).toEqual(['healthy', 'slow', 'healthy'])
    await stop()
  })

  it('looks for lanes with slow targets again when a visit to such a lane is settled', async () => {
    const { asked, visits, settled, stop } = start({ slow: [1] })
    await settled()
    visits[0]?.end()
    await settled()
    expect(asked).toEqual(['healthy', 'slow', 'healthy', 'slow'])
    await stop()
  })

  it('looks for more lanes as soon as a slot is free, if the last look filled every slot', async () => {
    const { asked, visits, settled, stop } = start({ healthy: [2] })
    await settled()
    expect(asked).toEqual(['healthy', 'slow'])
    visits[0]?.sent()
    await settled()
    expect(asked.slice(2)).toEqual(['healthy'])
    await stop()
  })

  it('waits until a visit is settled before it looks for more lanes, if the last look left a slot free', async () => {
    const { asked, visits, settled, stop } = start({ healthy: [1] })
    await settled()
    visits[0]?.sent()
    await settled()
    expect(asked).toEqual(['healthy', 'slow'])
    visits[0]?.end()
    await settled()
    expect(asked).toEqual(['healthy', 'slow', 'healthy'])
    await stop()
  })
})
