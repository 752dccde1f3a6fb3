import { CallboardError, isCallboardError, type SubscriptionRecord } from '@callboard/core'
import type { SentTest } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { field } from '../../components/field.ts'
import { jsonView } from '../../components/json-view.ts'
import { duration } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { host } from '../../components/target.ts'
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
    const body = callout('warning', { title: 'Not sent', body: error.message })
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
  return {
    title: 'Send a test event',
    section: 'subscriptions',
    status,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Send a test event', {
          up: { text: 'Subscription', href: call.href(`/subscriptions/${id}`) },
          lead: html`<span>To ${host(targetUrl)}: the sample of an event type, signed like a delivery and marked with <code>"test": true</code>. It is not stored.</span>`,
        })}
        ${card(
          {},
          html`
            <form class="form" method="post" action=${call.href(`/subscriptions/${id}/test`)}>
              ${field({
                kind: 'select',
                name: 'type',
                label: 'Event type',
                value: type,
                options: testableTypes(subscription, call).map((value) => ({ value, text: value })),
              })}
              <div class="form-end"><button class="button button-primary" type="submit">${body === undefined ? 'Send test event' : 'Send another'}</button></div>
            </form>`,
        )}
        ${body}
      </section>`,
  }
}

function outcome(test: SentTest, call: Call): Html {
  const words = attemptWords(test)
  const delivered = test.outcome === 'delivered'
  const said = callout(delivered ? 'success' : 'danger', {
    title: `${words.cause}.`,
    body: delivered ? 'The target accepted the test event.' : words.fix,
  })
  return [
    html`<div role="status">${said}</div>`,
    card({ title: 'Response' }, [
      facts([
        ['Status', test.status ?? 'none'],
        ['Duration', duration(call, test.durationMs)],
      ]),
      response(test, call),
    ]),
    card({ title: 'Request' }, [
      facts([
        ['Target', visibleText(test.request.url)],
        ...Object.entries(test.request.headers).map(([name, value]) => [name, visibleText(value)] as const),
      ]),
      jsonView(test.request.body, 'the body'),
    ]),
  ]
}

/** Shows the response only to viewers who may see personal data, because the response might contain such data. */
function response({ response: text }: SentTest, call: Call): Html {
  if (text === undefined) return undefined
  if (!call.may('people.read'))
    return html`<p class="muted">The response is hidden: it may contain personal data, which you do not have permission to see.</p>`
  return text === '' ? html`<p class="muted">The response has no body.</p>` : jsonView(text, 'the response')
}
