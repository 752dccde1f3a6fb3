import type { Issue, SubscriptionRecord } from '@callboard/core'
import type { ResendableState } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { choice, choices, field } from '../../components/field.ts'
import { type Html, html } from '../../html.ts'
import { RESENDABLE, SINCE } from './resend-steps.ts'

/** What fails now is mostly still being retried, for days; who has mended the endpoint wants all of it. */
const FAILING: readonly string[] = ['exhausted', 'retrying'] satisfies readonly ResendableState[]

export interface ResendFailedFormOptions {
  /** What was chosen, when it has to be corrected. */
  readonly form?: URLSearchParams | undefined
  readonly issues?: readonly Issue[] | undefined
}

/**
 * Sends again what ended without success since a time, step by step: the script repeats the post with the `next` of the answer before,
 * until there is none; without it, a page leads from step to step. Nothing for who may not, or while the subscription is disabled.
 */
export function resendFailedForm(
  call: Call,
  { id, state }: SubscriptionRecord,
  { form, issues }: ResendFailedFormOptions = {},
): Html {
  if (!call.may('webhooks.write') || state === 'disabled') return undefined
  const since = form?.get('since') ?? 'day'
  const states = form?.getAll('state') ?? FAILING
  const radio = (value: string, label: string): Html =>
    choice({ kind: 'radio', name: 'since', value, label, checked: since === value })
  return html`
    <form class="form" method="post" action=${call.href(`/subscriptions/${id}/resend`)} data-steps="next">
      ${choices({ name: 'since', label: 'Published in' }, [
        ...Object.entries(SINCE).map(([value, { label }]) => radio(value, label)),
        radio('time', 'Since a time'),
      ])}
      ${field({ kind: 'datetime-local', name: 'at', label: html`<span>Time (<span data-zone>UTC</span>)</span>`, hint: 'Only for “Since a time”.', value: form?.get('at') ?? undefined, issues })}
      ${choices(
        { name: 'state', label: 'Which deliveries', issues },
        Object.entries(RESENDABLE).map(([value, { label, hint }]) =>
          choice({ kind: 'checkbox', name: 'state', value, label, hint, checked: states.includes(value) }),
        ),
      )}
      <p class="form-end"><button class="button button-primary" type="submit">Send again</button></p>
    </form>`
}
