import type { DisabledReason } from '@callboard/core'
import { expect, it } from 'vitest'
import { checkDisabled } from './check-work.ts'

const NOTHING_WAITS = { lanes: 0, longestMs: 0 }
const finding = (...reasons: DisabledReason[]) =>
  checkDisabled({
    clock: new Date(0),
    lapsed: NOTHING_WAITS,
    due: NOTHING_WAITS,
    disabled: reasons.map((reason) => ({ reason, subscriptions: 2 })),
  })

it('counts subscriptions that a person disabled, without a warning', () => {
  expect(finding('account', 'platform')).toEqual({
    check: 'subscriptions',
    verdict: 'ok',
    message: 'disabled in the last 7 days: 2 (account), 2 (platform)',
  })
})

it.each<DisabledReason>(['gone', 'failing', 'key'])(
  'warns about subscriptions that Callboard disabled as %s',
  (reason) => {
    expect(finding('platform', reason)).toMatchObject({ verdict: 'warning', advice: expect.stringContaining(reason) })
  },
)
