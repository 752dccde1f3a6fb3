import { CallboardError, isCallboardError, type SubscriptionRecord } from '@callboard/core'
import type { SentTest } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { field } from '../../components/field.ts'
import { jsonView } from '../../components/json-view.ts'
import { count, duration } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { target } from '../../components/target.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { askedOwn } from './asked-subscription.ts'

/** The event types that can be tested: the subscription's own, if they are still in the catalogue. */
export function testableTypes({ eventTypes }: SubscriptionRecord, { callboard: { catalog } }: Call): readonly string[] {
  return eventTypes.filter((type) => catalog.get(type) !== undefined)
}

/** Shows the form that sends a test event. */
export async function newTest(call: Call): Promise<Page> {
  sender(call)
  return testPage(call, await askedOwn(call), {})
}

/** Sends a test event and shows the outcome. The outcome is not stored, so only this page can show it. */
export async function sendTest(call: Call): Promise<Page> {
  const tests = sender(call)
  const subscription = await askedOwn(call)
  const type = (await call.form()).get('type') ?? ''
  try {
    return testPage(call, subscription, { type, body: outcome(await tests.send(subscription, type), call) })
  } catch (error) {
    if (!isCallboardError(error, 'RATE_LIMITED')) throw error
    const { notSent, limited } = call.texts.testEvents
    const body = callout('warning', { title: notSent, body: limited(count(call, error.retryAfter ?? 1)) })
    return testPage(call, subscription, { type, status: 429, body })
  }
}

function sender({ tests }: Call): NonNullable<Call['tests']> {
  if (tests === undefined) throw new CallboardError('NOT_FOUND', 'There is no such page.')
  return tests
}

interface TestPage {
  /** The event type that was sent last. */
  readonly type?: string | undefined
  readonly status?: number | undefined
  readonly body?: Html | undefined
}

function testPage(call: Call, subscription: SubscriptionRecord, { type, status, body }: TestPage): Page {
  const { id, targetUrl } = subscription
  const { common, testEvents: words } = call.texts
  return {
    title: words.title,
    section: 'subscriptions',
    status,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.title, {
          up: { text: nameOf(subscription), href: call.href(`/subscriptions/${id}`) },
          lead: words.lead(target(targetUrl), html`<code>"test": true</code>`),
        })}
        ${card(
          {},
          html`
            <form class="form" method="post" action=${call.href(`/subscriptions/${id}/test`)}>
              ${field({
                kind: 'select',
                name: 'type',
                label: common.eventType,
                value: type,
                options: testableTypes(subscription, call).map((value) => ({ value, text: value })),
              })}
              <div class="form-end"><button class="button button-primary" type="submit">${body === undefined ? words.send : words.sendAnother}</button></div>
            </form>`,
        )}
        ${body}
      </section>`,
  }
}

function outcome(test: SentTest, call: Call): Html {
  const { common, testEvents } = call.texts
  const words = attemptWords(call, test)
  const delivered = test.outcome === 'delivered'
  const said = callout(delivered ? 'success' : 'danger', {
    title: `${words.cause}.`,
    body: delivered ? testEvents.accepted : words.fix,
  })
  return [
    html`<div role="status">${said}</div>`,
    card({ title: testEvents.response }, [
      facts([
        [testEvents.status, test.status ?? testEvents.noStatus],
        [testEvents.duration, duration(call, test.durationMs)],
      ]),
      response(test, call),
    ]),
    card({ title: testEvents.request }, [
      facts([
        [common.target, visibleText(test.request.url)],
        ...Object.entries(test.request.headers).map(([name, value]) => [name, visibleText(value)] as const),
      ]),
      jsonView(call, test.request.body, { label: testEvents.bodyName }),
    ]),
  ]
}

/** Shows the response only to viewers who may see personal data, because the response might contain such data. */
function response({ response: text }: SentTest, call: Call): Html {
  if (text === undefined) return undefined
  const { deliveries, testEvents } = call.texts
  if (!call.may('people.read')) return html`<p class="muted">${deliveries.responseHidden}</p>`
  return text === ''
    ? html`<p class="muted">${testEvents.emptyResponse}</p>`
    : jsonView(call, text, { label: testEvents.responseName })
}
