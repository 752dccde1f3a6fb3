import { type Issue, isCallboardError } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { count } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { pageMessage } from '../../components/page-message.ts'
import { type Html, html } from '../../html.ts'
import { secretPage } from './secret-page.ts'
import {
  EMPTY_FORM,
  type FormValues,
  mayChoosePersonalData,
  readValues,
  subscriptionForm,
} from './subscription-form.ts'

/** Shows the form that creates a subscription. */
export async function newSubscription(call: Call): Promise<Page> {
  return formPage(call, { values: EMPTY_FORM, once: crypto.randomUUID() })
}

/** Creates the subscription and shows its secret. If the form has errors, it is shown again with the entered values. */
export async function createSubscription(call: Call): Promise<Page> {
  const form = await call.form()
  const values = readValues(form)
  // A form without an idempotency key does not come from this page, and is treated as a new form.
  const once = form.get('once') ?? crypto.randomUUID()
  try {
    const { secret, created, ...subscription } = await call.callboard.subscriptions.create({
      accountId: call.accountId,
      mode: call.mode,
      ...values,
      description: values.description || null,
      personalData: values.personalData && mayChoosePersonalData(call),
      idempotencyKey: once,
    })
    if (!created) return createdBefore(call, subscription.id)
    return secretPage(call, subscription, {
      secret,
      title: call.texts.subscriptionForm.created,
      lead: call.texts.subscriptionForm.createdLead,
    })
  } catch (error) {
    if (isCallboardError(error, 'VALIDATION_FAILED')) return formPage(call, { values, once, issues: error.issues })
    if (isCallboardError(error, 'SUBSCRIPTION_LIMIT_REACHED'))
      return formPage(call, { values, once, refusal: { status: 409, notice: limitReached(call) } })
    if (isCallboardError(error, 'RATE_LIMITED'))
      return formPage(call, { values, once, refusal: { status: 429, notice: tooManyNew(call, error.retryAfter) } })
    throw error
  }
}

/**
 * The response if the form is posted again, for example by a reload. It does not show the secret, because the person
 * who reloads the page may be someone else.
 */
function createdBefore(call: Call, id: string): Page {
  const { createdBefore: words } = call.texts.subscriptionForm
  const view = html`<a class="button button-primary" href=${call.href(`/subscriptions/${id}`)}>${call.texts.subscriptions.view}</a>`
  return {
    title: words.title,
    section: 'subscriptions',
    status: 409,
    body: pageMessage(words.heading, words.body, view),
  }
}

interface FormPage {
  readonly values: FormValues
  /** The form's idempotency key. It ensures that a form posted twice creates only one subscription. */
  readonly once: string
  readonly issues?: readonly Issue[] | undefined
  /** The reason why the account cannot create a subscription now; undefined if it can. */
  readonly refusal?: { readonly status: number; readonly notice: Html } | undefined
}

function formPage(call: Call, { values, once, issues = [], refusal }: FormPage): Page {
  const { subscriptions, subscriptionForm: words } = call.texts
  const list = call.href('/subscriptions')
  return {
    title: subscriptions.new,
    section: 'subscriptions',
    status: refusal?.status ?? (issues.length > 0 ? 400 : 200),
    body: html`
      <section aria-labelledby="title">
        ${pageHead(subscriptions.new, { up: { text: subscriptions.title, href: list } })}
        ${refusal?.notice}
        ${subscriptionForm(call, {
          action: call.href('/subscriptions/new'),
          values,
          issues,
          submit: words.create,
          cancel: list,
          hidden: html`<input type="hidden" name="once" value=${once} />`,
        })}
      </section>`,
  }
}

function limitReached(call: Call): Html {
  const { limitReached: words } = call.texts.subscriptionForm
  const { viewAll } = call.texts.subscriptions
  const actions = html`<a class="button" href=${call.href('/subscriptions')}>${viewAll}</a>`
  return callout('warning', { ...words, actions, focus: true })
}

function tooManyNew(call: Call, retryAfter = 60): Html {
  const { title, body } = call.texts.subscriptionForm.tooManyNew
  return callout('warning', { title, body: body(count(call, retryAfter)), focus: true })
}
