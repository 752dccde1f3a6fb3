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
 * The form for choosing which deliveries to resend. It leads to a page that says how many these are. Renders nothing if
 * the viewer may not resend deliveries or the subscription is disabled.
 */
export function resendFailedForm(
  call: Call,
  { id, state }: SubscriptionRecord,
  { form, issues }: ResendFailedFormOptions = {},
): Html {
  if (!call.may('webhooks.write') || state === 'disabled') return undefined
  const { deliveries } = call.texts
  const words = deliveries.range
  const since = form?.get('since') ?? 'day'
  const states: readonly string[] = form?.getAll('state') ?? UNDELIVERED
  const radio = (value: string, label: string): Html =>
    choice({ kind: 'radio', name: 'since', value, label, checked: since === value })
  return html`
    <form class="form" action=${call.href(`/subscriptions/${id}/resend`)}>
      ${choices({ name: 'since', label: words.published }, [
        ...SINCE.map(({ value }) => radio(value, words[value])),
        radio('time', words.time),
      ])}
      ${field({ kind: 'datetime-local', name: 'at', label: words.timeIn(call.timeZone), hint: words.timeHint, value: form?.get('at') ?? undefined, issues })}
      <input type="hidden" name="zone" value=${call.timeZone} />
      ${choices(
        { name: 'state', label: words.states, issues },
        RESENDABLE.map((value) =>
          choice({
            kind: 'checkbox',
            name: 'state',
            value,
            label: deliveries.states[value],
            hint: words.hints[value],
            checked: states.includes(value),
          }),
        ),
      )}
      <p class="form-end"><button class="button button-primary" type="submit" name="count" value="on">${words.continue}</button></p>
    </form>`
}
