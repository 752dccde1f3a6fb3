import { setImmediate } from 'node:timers/promises'
import { createId } from '@callboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDashboard } from '../../test/dashboard-world.ts'
import { routes } from './routes.ts'

const OF_ONE = routes.filter(({ path }) => path.includes('/:id'))

describe('pages and writes of what is not there', () => {
  /** Rejections that nobody waits for: each would end the platform's process. */
  const orphans: unknown[] = []
  const remember = (reason: unknown): number => orphans.push(reason)
  beforeEach(() => void process.on('unhandledRejection', remember))
  afterEach(() => void process.off('unhandledRejection', remember))

  it.each([
    ['an id that is none', 'x', 'x'],
    ['an id of nothing', createId('sub'), createId('evt')],
    ['a subscription’s id that is of nothing, and an event’s that is none', createId('sub'), 'x'],
    ['a subscription’s id that is none, and an event’s that is of nothing', 'x', createId('evt')],
  ])('are not found, and leave nothing behind: %s', async (_, id, eventId) => {
    const { as, errors } = await openDashboard({ tests: { send: () => Promise.reject(new Error('a test was sent')) } })
    for (const { method, path } of OF_ONE) {
      const at = path.replace(':eventId', eventId).replace(':id', id)
      const { status } =
        method === 'GET' ? await as().get(at) : await as().post(at, { since: 'day', state: 'exhausted' })
      const redirects = method === 'GET' && path.endsWith('/rotate') && id !== 'x'
      expect(status, `${method} ${path}`).toBe(redirects ? 303 : 404)
      // Node tells of orphans once all that was to be done at once is done.
      await setImmediate()
      expect(orphans, `${method} ${path}`).toEqual([])
    }
    expect(errors).toEqual([])
  })
})
