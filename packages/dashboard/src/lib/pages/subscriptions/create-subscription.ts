import { type Issue, isCallboardError } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { pageHead } from '../../components/page-head.ts'
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
    const { id, targetUrl, secret } = await call.callboard.subscriptions.create(
      { accountId: call.accountId, mode: call.mode },
      {
        ...values,
        description: values.description || null,
        personalData: values.personalData && mayChoosePersonalData(call),
        idempotencyKey: once,
      },
    )
    return secretPage(call, {
      id,
      targetUrl,
      secret,
      title: 'Subscription created',
      lead: 'New events are sent to this target.',
    })
  } catch (error) {
    if (isCallboardError(error, 'VALIDATION_FAILED')) return formPage(call, { values, once, issues: error.issues })
    if (isCallboardError(error, 'SUBSCRIPTION_LIMIT_REACHED'))
      return formPage(call, { values, once, refusal: { status: 409, notice: limitReached(call) } })
    if (isCallboardError(error, 'RATE_LIMITED'))
      return formPage(call, { values, once, refusal: { status: 429, notice: tooManyNew(error.retryAfter) } })
    throw error
  }
}

interface FormPage {
  readonly values: FormValues
  /** The form's idempotency key. It ensures that a form posted twice creates only one subscription. */
  readonly once: string
  readonly issues?: readonly Issue[] | undefined
  /** Why the account may not create a subscription now. */
  readonly refusal?: { readonly status: number; readonly notice: Html } | undefined
}

function formPage(call: Call, { values, once, issues = [], refusal }: FormPage): Page {
  const list = call.href('/subscriptions')
  return {
    title: 'New subscription',
    section: 'subscriptions',
    status: refusal?.status ?? (issues.length > 0 ? 400 : 200),
    body: html`
      <section aria-labelledby="title">
        ${pageHead('New subscription', { up: { text: 'Subscriptions', href: list } })}
        ${refusal?.notice}
        ${subscriptionForm(call, {
          action: call.href('/subscriptions/new'),
          values,
          issues,
          submit: 'Create subscription',
          cancel: list,
          hidden: html`<input type="hidden" name="once" value=${once} />`,
        })}
      </section>`,
  }
}

function limitReached(call: Call): Html {
  return callout('warning', {
    title: 'Your account has reached its subscription limit',
    body: 'Remove a subscription that you no longer need, or turn off an automation. Then submit this form again: your entries are still here.',
    actions: html`<a class="button" href=${call.href('/subscriptions')}>View subscriptions</a>`,
  })
}

function tooManyNew(retryAfter = 60): Html {
  return callout('warning', {
    title: 'Your account has created too many subscriptions within a minute',
    body: `Wait ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}. Then submit this form again: your entries are still here.`,
  })
}
