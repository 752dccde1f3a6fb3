import type { DeliveryRecord, LoggedAttempt, SubscriptionRecord } from '@callboard/core'
import { type NumberedAttempt, numberAttempts, PAGE_LIMIT, subscriptionName } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { copyable } from '../../components/copyable.ts'
import { facts } from '../../components/facts.ts'
import { notice } from '../../components/notice.ts'
import { number } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { deliveryBadge } from '../../components/state-badges.ts'
import { nameOf, targetBelow } from '../../components/subscription-name.ts'
import { type Html, html } from '../../html.ts'
import { lateRotation, secretLinks } from '../subscriptions/suspected-secret.ts'
import { readList, unreadableList } from '../unreadable-list.ts'
import { type AskedDelivery, askedDelivery } from './asked-delivery.ts'
import { type Audit, attemptsTimeline } from './attempts-timeline.ts'
import { deliveryBody } from './delivery-body.ts'
import { nextAttempt } from './delivery-columns.ts'
import { nextStep } from './next-step.ts'
import { resendButton } from './resend-button.ts'

/** Shows one delivery: its state, what to do next, its attempts, and its body. */
export async function showDelivery(call: Call): Promise<Page> {
  const asked = await askedDelivery(call)
  const { accountId, mode, id: subscriptionId } = asked.subscription
  const { eventId } = asked.delivery
  const path = `/subscriptions/${subscriptionId}/deliveries/${eventId}`
  const cursor = call.query.get('cursor') || undefined
  const [list, body] = await Promise.all([
    readList(call.callboard.deliveries.attempts({ accountId, mode, subscriptionId, eventId, cursor })),
    deliveryBody(asked.delivery, asked.subscription, call),
  ])
  if (list === undefined) return unreadableList(call, path)
  const { subscription, delivery } = isOutdated(asked, cursor === undefined ? list.attempts[0] : undefined)
    ? await askedDelivery(call)
    : asked
  const ref = { accountId, mode, subscriptionId, eventId }
  const known = numberAttempts([...list.attempts, ...(await olderAttempts(ref, list.nextCursor, call))])
  const shown = known.slice(0, list.attempts.length)
  const isResent = shown.some(({ resentAfter }) => resentAfter !== undefined)
  const audit = isResent ? await auditTrail(subscription, call) : NO_AUDIT
  // Older pages of attempts do not begin with the last one.
  const last = cursor === undefined ? list.attempts[0] : delivery.lastAttempt
  const rotated = await lateRotation(subscription, last, call)
  const response = last !== undefined && 'response' in last ? last.response : undefined
  const step = nextStep(delivery, subscription, call, { response, rotated })
  const { common, deliveries: words, subscriptions } = call.texts
  return {
    title: words.typeTo(delivery.type, subscriptionName(subscription)),
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(delivery.type, {
          up: { text: words.title, href: call.href(`/subscriptions/${subscription.id}/deliveries`) },
          badge: deliveryBadge(call, delivery.state),
          actions: resendButton(delivery, subscription, call),
        })}
        ${notice(call, words.done)}
        ${callout(step.tone, { title: step.title, body: step.body, actions: subscription.state === 'disabled' ? subscriptionLink(subscription, call) : secretLinks(subscription, last, call) })}
        <div class="columns">
          <div>
            ${card({ title: words.attempts }, attempts(delivery, shown, audit, call))}
            ${pager(call, list.nextCursor, words.olderAttempts)}
            ${body}
          </div>
          <div>
            ${card(
              { title: common.about },
              facts([
                [
                  words.event,
                  call.may('events.read')
                    ? html`<a href=${call.href(`/events/${eventId}`)}>${eventId}</a>`
                    : copyable(call, eventId, words.eventId),
                ],
                [
                  subscriptions.one,
                  [
                    html`<a href=${call.href(`/subscriptions/${subscription.id}`)}>${nameOf(subscription)}</a>`,
                    targetBelow(subscription),
                  ],
                ],
                [words.attempts, number(call, cursor === undefined ? known.length : delivery.attempts)],
                delivery.state === 'retrying' || delivery.state === 'pending'
                  ? [words.nextAttempt, nextAttempt(delivery, call)]
                  : undefined,
              ]),
            )}
          </div>
        </div>
      </section>`,
  }
}

/**
 * Whether an attempt ended while the page was being read. Without a second reading, the page would call a delivery
 * “Retrying” above the attempt that succeeded, or its subscription enabled although a 410 has just disabled it.
 */
function isOutdated({ subscription, delivery }: AskedDelivery, newest: LoggedAttempt | undefined): boolean {
  const isNewer = newest !== undefined && newest.startedAt.getTime() !== delivery.lastAttempt?.at.getTime()
  const isWaiting = delivery.state === 'pending' || delivery.state === 'retrying'
  return isNewer || (subscription.state === 'disabled' ? isWaiting : delivery.state === 'disabled')
}

function attempts(delivery: DeliveryRecord, shown: readonly NumberedAttempt[], audit: Audit, call: Call): Html {
  const none = shown.length === 0 && delivery.state !== 'pending' && delivery.nextAttemptAt === undefined
  return none
    ? html`<p class="muted">${call.texts.deliveries.noAttempts}</p>`
    : attemptsTimeline(delivery, shown, audit, call)
}

/** At most this many pages of older attempts are counted, more than any delivery has. */
const OLDER_PAGES = 10

/** The attempts after this page, which must be known to number those on the page. */
async function olderAttempts(
  ref: Parameters<Call['callboard']['deliveries']['find']>[0],
  next: string | null,
  { callboard }: Call,
): Promise<readonly LoggedAttempt[]> {
  const older: LoggedAttempt[] = []
  let cursor = next
  for (let pages = 0; cursor !== null && pages < OLDER_PAGES; pages++) {
    const page = await callboard.deliveries.attempts({ ...ref, cursor, limit: PAGE_LIMIT.max })
    older.push(...page.attempts)
    cursor = page.nextCursor
  }
  return older
}

const NO_AUDIT: Audit = { entries: [], names: new Map() }

/** Empty if the viewer may not see the audit trail. */
async function auditTrail({ accountId, mode, id }: SubscriptionRecord, call: Call): Promise<Audit> {
  if (!call.may('audit.read')) return NO_AUDIT
  const { audit } = call.callboard
  const { entries } = await audit.list({ accountId, mode, objectId: id, limit: PAGE_LIMIT.max })
  return { entries, names: await audit.namesIn(entries) }
}

function subscriptionLink({ id }: SubscriptionRecord, call: Call): Html {
  return html`<a class="button" href=${call.href(`/subscriptions/${id}`)}>${call.texts.subscriptions.view}</a>`
}
