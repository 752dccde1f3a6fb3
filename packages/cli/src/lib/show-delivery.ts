import type { Callboard, DeliveryRecord } from '@callboard/core'
import { type NumberedAttempt, numberAttempts, resendBefore } from '@callboard/core/engine'
import type { SubscriptionRef } from '@callboard/core/store'
import type { CommandContext } from './command-context.ts'
import { notFound } from './command-error.ts'
import { readPages } from './pages.ts'
import type { Columns } from './table.ts'

/** More attempts than any delivery has, even after resends. */
const ATTEMPTS = 1_000

/** Prints a delivery and its attempts. */
export async function showDelivery(
  { out }: CommandContext,
  callboard: Callboard,
  ref: SubscriptionRef,
  eventId: string,
): Promise<void> {
  const [delivery, { items: attempts }] = await Promise.all([
    callboard.deliveries.find({ ...ref, subscriptionId: ref.id, eventId }),
    readPages(ATTEMPTS, undefined, async (page) => {
      const found = await callboard.deliveries.attempts({ ...ref, subscriptionId: ref.id, ...page, eventId })
      return { items: found.attempts, nextCursor: found.nextCursor }
    }),
  ])
  // After a subscription has been removed, its deliveries are no longer found, but their attempts are.
  if (delivery === undefined && attempts.length === 0)
    throw notFound('There is no such delivery in this account and mode.')
  if (out.json) return out.document({ delivery: delivery ?? null, attempts })
  if (delivery !== undefined) out.show(delivery, FIELDS)
  if (attempts.length > 0) out.line('')
  const numbered = numberAttempts(attempts)
  if (!numbered.some(({ isResent }) => isResent)) return out.list(numbered, ATTEMPT_COLUMNS)
  const { entries } = await callboard.audit.list({
    accountId: ref.accountId,
    mode: ref.mode,
    objectId: ref.id,
    limit: 100,
  })
  const resent = (attempt: NumberedAttempt): string | undefined => {
    if (!attempt.isResent) return undefined
    const { type, id } = resendBefore(attempt, entries)?.actor ?? {}
    return type === undefined ? 'resent' : `resent by ${[type, id].filter((word) => word !== undefined).join(' ')}`
  }
  out.list(numbered, { ...ATTEMPT_COLUMNS, resend: resent })
}

const FIELDS: Columns<DeliveryRecord> = {
  event: ({ eventId }) => eventId,
  subscription: ({ subscriptionId }) => subscriptionId,
  type: ({ type }) => type,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts,
  'next attempt': ({ nextAttemptAt }) => nextAttemptAt,
}

const ANSWER_LENGTH = 60

const ATTEMPT_COLUMNS: Columns<NumberedAttempt> = {
  attempt: ({ nth }) => nth,
  started: ({ startedAt }) => startedAt,
  outcome: ({ outcome }) => outcome,
  status: ({ status, reason }) => status ?? reason,
  took: ({ durationMs }) => `${Math.round(durationMs)} ms`,
  response: ({ response }) => response?.slice(0, ANSWER_LENGTH),
}
