import { setImmediate } from 'node:timers/promises'
import { createId } from '@callboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDashboard } from '../../test/dashboard-world.ts'
import { routes } from './routes.ts'

const OF_ONE = routes.filter(({ path }) => path.includes('/:id'))

describe('pages and writes for an id that does not exist', () => {
  /** Unhandled rejections, each of which would end the platform's process. */
  const orphans: unknown[] = []
  const remember = (reason: unknown): number => orphans.push(reason)
  beforeEach(() => void process.on('unhandledRejection', remember))
  afterEach(() => void process.off('unhandledRejection', remember))

  it.each([
    ['malformed ids', '.x', 'x'],
    ['unknown ids', createId('sub'), createId('evt')],
    ['an unknown subscription id and a malformed event id', createId('sub'), 'x'],
    ['a malformed subscription id and an unknown event id', '.x', createId('evt')],
  ])('return 404 and leave no unhandled rejection: %s', async (_, id, eventId) => {
    const { as, errors } = await openDashboard({ tests: { send: () => Promise.reject(new Error('a test was sent')) } })
    for (const { method, path } of OF_ONE) {
      const at = path.replace(':eventId', eventId).replace(':id', id)
      const { status } =
        method === 'GET' ? await as().get(at) : await as().post(at, { since: 'day', state: 'exhausted' })
      const redirects = method === 'GET' && path.endsWith('/rotate') && id !== '.x'
      expect(status, `${method} ${path}`).toBe(redirects ? 303 : 404)
      // Waits for the microtask queue to drain, because only then does Node report unhandled rejections.
      await setImmediate()
      expect(orphans, `${method} ${path}`).toEqual([])
    }
    expect(errors).toEqual([])
  })
})
