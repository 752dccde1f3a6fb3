import type { Issue, SubscriptionRecord } from '@callboard/core'
import { UNDELIVERED } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { choice, choices, field } from '../../components/field.ts'
import { type Html, html } from '../../html.ts'
import { RESENDABLE, SINCE } from './resend-steps.ts'

export interface ResendFailedFormOptions {
  /** The submitted form, if the choices in it have to be corrected. */
  readonly form?: URLSearchParams | undefined
  readonly issues?: readonly Issue[] | undefined
}

/**
 * The form that resends the deliveries of a time range step by step. For each further step, the script posts the form
 * again with the `next` of the last response. Without the script, each response is a page with a button for the next
 * step. Renders nothing if the viewer may not resend deliveries or the subscription is disabled.
 */
export function resendFailedForm(
  call: Call,
  { id, state }: SubscriptionRecord,
  { form, issues }: ResendFailedFormOptions = {},
): Html {
  if (!call.may('webhooks.write') || state === 'disabled') return undefined
  const since = form?.get('since') ?? 'day'
  const states: readonly string[] = form?.getAll('state') ?? UNDELIVERED
  const radio = (value: string, label: string): Html =>
    choice({ kind: 'radio', name: 'since', value, label, checked: since === value })
  return html`
    <form class="form" method="post" action=${call.href(`/subscriptions/${id}/resend`)} data-steps="next">
      ${choices({ name: 'since', label: 'Published' }, [
        ...Object.entries(SINCE).map(([value, { label }]) => radio(value, label)),
        radio('time', 'Since a specific time'),
      ])}
      ${field({ kind: 'datetime-local', name: 'at', label: html`<span>Time (<span data-zone>UTC</span>)</span>`, hint: 'Only used with “Since a specific time”.', value: form?.get('at') ?? undefined, issues })}
      ${choices(
        { name: 'state', label: 'Deliveries to resend', issues },
        Object.entries(RESENDABLE).map(([value, { label, hint }]) =>
          choice({ kind: 'checkbox', name: 'state', value, label, hint, checked: states.includes(value) }),
        ),
      )}
      <p class="form-end"><button class="button button-primary" type="submit">Resend</button></p>
    </form>`
}
