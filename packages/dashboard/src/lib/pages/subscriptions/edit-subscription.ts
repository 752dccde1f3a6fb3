import { type Issue, isCallboardError, type SubscriptionRecord } from '@callboard/core'
import type { Answer, Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { pageHead } from '../../components/page-head.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { target } from '../../components/target.ts'
import { html } from '../../html.ts'
import { askedOwn } from './asked-subscription.ts'
import { personalDataForbids } from './personal-data-guard.ts'
import { type FormValues, mayChoosePersonalData, readValues, subscriptionForm, valuesOf } from './subscription-form.ts'

/** Shows the form that changes a subscription created in the dashboard. */
export async function editSubscription(call: Call): Promise<Page> {
  const subscription = await askedOwn(call)
  return (
    personalDataForbids(subscription, call, call.texts.subscriptionForm.forbidden) ??
    formPage(call, subscription, valuesOf(subscription))
  )
}

/** Changes the subscription. If the form has errors, it is shown again with the entered values. */
export async function changeSubscription(call: Call): Promise<Answer> {
  const subscription = await askedOwn(call)
  const forbidden = personalDataForbids(subscription, call, call.texts.subscriptionForm.forbidden)
  if (forbidden !== undefined) return forbidden
  const values = readValues(await call.form())
  try {
    const { accountId, mode, id } = subscription
    await call.callboard.subscriptions.change({
      accountId,
      mode,
      id,
      targetUrl: values.targetUrl === subscription.targetUrl ? undefined : values.targetUrl,
      eventTypes: values.eventTypes,
      description: values.description || null,
      personalData: mayChoosePersonalData(call) ? values.personalData : undefined,
      apiVersion: values.apiVersion === subscription.apiVersion ? undefined : values.apiVersion,
    })
  } catch (error) {
    if (isCallboardError(error, 'VALIDATION_FAILED')) return formPage(call, subscription, values, error.issues)
    if (isCallboardError(error, 'CHANGE_PENDING')) {
      const issue: Issue = { path: 'eventTypes', code: 'CONFLICT', message: error.message }
      return { ...formPage(call, subscription, values, [issue]), status: 409 }
    }
    throw error
  }
  return { redirect: call.href(`/subscriptions/${subscription.id}`, { done: 'changed' }) }
}

function formPage(
  call: Call,
  subscription: SubscriptionRecord,
  values: FormValues,
  issues: readonly Issue[] = [],
): Page {
  const { id, targetUrl, eventTypes } = subscription
  const { subscriptionForm: words } = call.texts
  const page = call.href(`/subscriptions/${id}`)
  return {
    title: words.edit,
    section: 'subscriptions',
    status: issues.length > 0 ? 400 : 200,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.edit, {
          up: { text: nameOf(subscription), href: page },
          lead: words.editLead(target(targetUrl)),
        })}
        ${subscriptionForm(call, {
          action: call.href(`/subscriptions/${id}/edit`),
          values,
          knownTypes: eventTypes,
          issues,
          submit: words.save,
          cancel: page,
        })}
      </section>`,
  }
}
