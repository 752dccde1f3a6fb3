import type { Callboard, DeliveryRecord, DeliveryState } from '@callboard/core'
import { type NumberedAttempt, numberAttempts, resendBefore, subscriptionName } from '@callboard/core/engine'
import type { SubscriptionRef } from '@callboard/core/store'
import { actorName } from './actor-name.ts'
import type { CommandContext } from './command-context.ts'
import { notFound } from './command-error.ts'
import { dashboardLink } from './dashboard-link.ts'
import { duration } from './duration.ts'
import { cut } from './fit-columns.ts'
import { readPages } from './pages.ts'
import { type Columns, formatCell } from './table.ts'
import { shortAnswer } from './troubles.ts'

/** More attempts than any delivery has, even after resends. */
const ATTEMPTS = 1_000

export interface ShowOptions {
  /** Prints whole responses below the attempts. */
  readonly fullResponses?: true
}

/** Prints a delivery and its attempts. */
export async function showDelivery(
  { out, err, platform }: CommandContext,
  callboard: Callboard,
  ref: SubscriptionRef,
  eventId: string,
  { fullResponses }: ShowOptions = {},
): Promise<void> {
  const [subscription, delivery, { items: attempts }] = await Promise.all([
    callboard.subscriptions.find(ref),
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
  const link = dashboardLink(await platform(), ref, ['subscriptions', ref.id, 'deliveries', eventId])
  if (delivery !== undefined)
    out.show(delivery, { ...FIELDS, name: () => subscription && subscriptionName(subscription), ...link })
  if (attempts.length > 0) out.line('')
  const numbered = numberAttempts(attempts)
  const resends = numbered.some(({ resentAfter }) => resentAfter !== undefined)
    ? await resendColumn(callboard, ref)
    : {}
  const start: Columns<NumberedAttempt> = fullResponses ? {} : { response: startOfResponse }
  out.list(numbered, { ...ATTEMPT_COLUMNS, ...start, ...resends })
  if (fullResponses) for (const line of numbered.flatMap(responseLines)) out.line(line)
  else if (numbered.some((attempt) => startOfResponse(attempt) !== formatCell(attempt.response)))
    err.note('Long responses are cut; --full-responses prints all that is stored of them.')
}

/** Says by whom each attempt was resent. */
async function resendColumn(callboard: Callboard, ref: SubscriptionRef): Promise<Columns<NumberedAttempt>> {
  const { entries } = await callboard.audit.list({
    accountId: ref.accountId,
    mode: ref.mode,
    objectId: ref.id,
    limit: 100,
  })
  const names = await callboard.audit.namesIn(entries)
  const resent = (attempt: NumberedAttempt): string | undefined => {
    if (attempt.resentAfter === undefined) return undefined
    const entry = resendBefore(attempt, entries)
    return entry === undefined ? 'resent' : `resent by ${actorName(entry.actor, names)}`
  }
  return { resend: resent }
}

const FIELDS: Columns<DeliveryRecord> = {
  event: ({ eventId }) => eventId,
  subscription: ({ subscriptionId }) => subscriptionId,
  type: ({ type }) => type,
  state: ({ state }) => state,
  meaning: ({ state }) => MEANINGS[state],
  attempts: ({ attempts }) => attempts,
  'next attempt': ({ nextAttemptAt, pausedUntil }) => (pausedUntil === undefined ? nextAttemptAt : 'after the pause'),
  'paused until': ({ pausedUntil }) => pausedUntil,
}

const MEANINGS: Readonly<Record<DeliveryState, string>> = {
  pending: 'waits for its first attempt, or for the first after a resend',
  retrying: 'failed, and will be attempted again',
  delivered: 'succeeded',
  exhausted: 'every attempt failed; callboard deliveries resend starts over',
  disabled: 'ended when its subscription was disabled; once that is enabled, callboard deliveries resend sends it',
  skipped: 'somebody skipped it; callboard deliveries resend sends it',
  expired: 'retention removed its event before it was delivered',
}

const ATTEMPT_COLUMNS: Columns<NumberedAttempt> = {
  attempt: ({ nth }) => nth,
  started: ({ startedAt }) => startedAt,
  outcome: ({ outcome }) => outcome,
  answer: shortAnswer,
  took: ({ durationMs }) => duration(durationMs),
}

const START_WIDTH = 60

/** The start of a response, in one line. */
const startOfResponse = ({ response }: NumberedAttempt): string => cut(formatCell(response), START_WIDTH)

/** A response as its target formatted it, under a line of its own. */
function responseLines({ nth, response }: NumberedAttempt): string[] {
  if (response === undefined || response === '') return []
  const lines = response.split(/\r?\n/).map((line) => (line === '' ? '' : `  ${formatCell(line)}`))
  return ['', `Response to attempt ${nth}:`, ...lines]
}
