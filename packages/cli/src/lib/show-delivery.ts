import type { Callboard, DeliveryRecord, LoggedAttempt, SubscriptionRef } from '@callboard/core'
import type { CommandContext } from './command-context.ts'
import { CommandError } from './command-error.ts'
import { readPages } from './pages.ts'
import type { Columns } from './table.ts'

/** More attempts at one delivery than any schedule has, with some resends by hand. */
const ATTEMPTS = 1_000

/** Prints how a delivery stands, and every attempt at it. */
export async function showDelivery(context: CommandContext, ref: SubscriptionRef, eventId: string): Promise<void> {
  const { out } = context
  const callboard = await context.open()
  const [delivery, { items: attempts }] = await Promise.all([
    findDelivery(callboard, ref, eventId),
    readPages(ATTEMPTS, undefined, async (page) => {
      const found = await callboard.deliveries.attempts(ref, { ...page, eventId })
      return { items: found.attempts, nextCursor: found.nextCursor }
    }),
  ])
  // Of a subscription that is removed only the log is left.
  if (delivery === undefined && attempts.length === 0)
    throw new CommandError('There is no such delivery in this account and mode.')
  if (out.json) return out.document({ delivery: delivery ?? null, attempts })
  if (delivery !== undefined) out.show(delivery, FIELDS)
  if (attempts.length > 0) out.line('')
  out.list(attempts, ATTEMPT_COLUMNS)
}

/** An event goes to a few hundred subscriptions at most: they are gone through for the one that is meant. */
async function findDelivery(
  callboard: Callboard,
  { accountId, mode, id }: SubscriptionRef,
  eventId: string,
): Promise<DeliveryRecord | undefined> {
  let cursor: string | undefined
  for (;;) {
    const page = await callboard.deliveries.ofEvent({ account: accountId, mode, id: eventId }, { limit: 100, cursor })
    const found = page.deliveries.find(({ subscriptionId }) => subscriptionId === id)
    if (found !== undefined || page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

const FIELDS: Columns<DeliveryRecord> = {
  event: ({ eventId }) => eventId,
  subscription: ({ subscriptionId }) => subscriptionId,
  type: ({ type }) => type,
  state: ({ state }) => state,
  tries: ({ tries }) => tries,
  'next try': ({ nextTryAt }) => nextTryAt,
}

const ANSWER_LENGTH = 60

const ATTEMPT_COLUMNS: Columns<LoggedAttempt> = {
  try: ({ number }) => number,
  started: ({ startedAt }) => startedAt,
  outcome: ({ outcome }) => outcome,
  status: ({ status, reason }) => status ?? reason,
  took: ({ durationMs }) => `${Math.round(durationMs)} ms`,
  answer: ({ response }) => response?.slice(0, ANSWER_LENGTH),
}
