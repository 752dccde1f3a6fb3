import type { Issue, SubscriptionRecord } from '@callboard/core'
import { UNDELIVERED } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { choice, choices, field } from '../../components/field.ts'
import { count } from '../../components/number.ts'
import { type Html, html } from '../../html.ts'
import { RESENDABLE, SINCE } from './resend-steps.ts'

export interface ResendFailedFormOptions {
  /** The submitted form, if the choices in it have to be corrected. */
  readonly form?: URLSearchParams | undefined
  readonly issues?: readonly Issue[] | undefined
}

/**
 * The form that resends the deliveries of a time range step by step. The dashboard's script posts it again for each
 * further step. Without JavaScript, each response is a page with a button for the next step. Renders nothing if the
 * viewer may not resend deliveries or the subscription is disabled.
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
  const none = words.soFar(count(call, 0))
  return html`
    <form class="form" method="post" action=${call.href(`/subscriptions/${id}/resend`)} data-steps="next">
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
      <p class="form-end"><button class="button button-primary" type="submit">${deliveries.resend}</button></p>
      <div class="steps" hidden data-none=${none} data-stopped=${words.stopped('{so far}')} data-interrupted=${words.interrupted('{so far}')}>
        <progress aria-label=${words.progress}></progress>
        <p></p>
        <button class="button" type="button">${words.stop}</button>
      </div>
    </form>`
}
