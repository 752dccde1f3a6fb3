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

/** The types that a test can be made of: those that it names and the catalogue still has. */
export function testableTypes({ eventTypes }: SubscriptionRecord, { callboard: { catalog } }: Call): readonly string[] {
  return eventTypes.filter((type) => catalog.get(type) !== undefined)
}

/** The form that sends a test event. */
export async function newTest(call: Call): Promise<Page> {
  sender(call)
  return testPage(call, await askedOwn(call), {})
}

/** Sends one, and shows what came of it. Nothing of it is stored, so this page is the only one that has it. */
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
  /** Chosen before. */
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
          lead: html`<span>To ${host(targetUrl)}: the sample of a type, signed as a delivery is and marked with <code>"test": true</code>. It is stored nowhere.</span>`,
        })}
        ${card(
          {},
          html`
            <form class="form" method="post" action=${call.href(`/subscriptions/${id}/test`)}>
              ${field({
                kind: 'select',
                name: 'type',
                label: 'Event',
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
    body: delivered ? 'The test event arrived.' : words.mend,
  })
  return [
    html`<div role="status">${said}</div>`,
    card({ title: 'Answer' }, [
      facts([
        ['Status', test.status ?? 'none'],
        ['Took', duration(call, test.durationMs)],
      ]),
      answer(test, call),
    ]),
    card({ title: 'Sent' }, [
      facts([
        ['Address', visibleText(test.request.url)],
        ...Object.entries(test.request.headers).map(([name, value]) => [name, visibleText(value)] as const),
      ]),
      jsonView(test.request.body, 'the body'),
    ]),
  ]
}

/** A target may answer with what it knows of people. */
function answer({ response }: SentTest, call: Call): Html {
  if (response === undefined) return undefined
  if (!call.may('people.read'))
    return html`<p class="muted">What it answered is hidden: it may hold personal data, which your sign-in does not include.</p>`
  return response === '' ? html`<p class="muted">The answer has no body.</p>` : jsonView(response, 'the answer')
}
