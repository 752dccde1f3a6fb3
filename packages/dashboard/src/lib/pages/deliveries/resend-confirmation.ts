import type { RangeCount, SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { count } from '../../components/number.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { localTime, zonedTime } from '../../time-zone.ts'
import type { ResendSteps } from './resend-steps.ts'

/**
 * Fixes the start of a range, so that it does not move while the viewer thinks about it. The field that carries it has
 * no seconds, so the range may begin up to a minute earlier. Deliveries that end meanwhile are resent as well.
 */
export function fixedStart({ from }: ResendSteps, { timeZone }: Call): Date {
  return zonedTime(localTime(from, timeZone), timeZone) ?? from
}

/**
 * Says how many deliveries are about to be resent, with the form that resends them step by step. The dashboard's script
 * posts it again for each further step. Without JavaScript, each response is a page with a button for the next step.
 */
export function resendConfirmation(
  { id, health }: SubscriptionWithHealth,
  { from, states }: Pick<ResendSteps, 'from' | 'states'>,
  counted: RangeCount,
  call: Call,
): Html {
  const { deliveries } = call.texts
  const words = deliveries.range
  const path = call.href(`/subscriptions/${id}/resend`)
  const choices = new URLSearchParams(call.query)
  choices.delete('count')
  const change = html`<a class="button" href=${`${path}?${choices}`}>${words.change}</a>`
  const counts = [
    counted.complete && counted.waiting > 0 && html`<p>${words.waiting(count(call, counted.waiting))}</p>`,
    facts([
      [words.publishedSince, time(call, from, { as: 'full' })],
      [words.states, states.map((state) => deliveries.states[state]).join(', ')],
    ]),
  ]
  // If the subscription is paused, resending deliveries that wait attempts one of them now, so that is offered too.
  const probes = counted.waiting > 0 && health.pausedUntil !== undefined
  const nothing = counted.complete && counted.resent === 0 && !probes
  return card(
    { title: aboutTo(counted, probes, call) },
    nothing
      ? html`<div class="form">${counts}<div class="form-end">${change}</div></div>`
      : html`
        <form class="form" method="post" action=${path} data-steps="next">
          ${counts}
          <input type="hidden" name="since" value="time" />
          <input type="hidden" name="at" value=${localTime(from, call.timeZone)} />
          <input type="hidden" name="zone" value=${call.timeZone} />
          ${states.map((state) => html`<input type="hidden" name="state" value=${state} />`)}
          <div class="form-end">
            <button class="button button-primary" type="submit">${deliveries.resend}</button>
            ${change}
          </div>
          <div class="steps" hidden data-none=${words.soFar(count(call, 0))} data-stopped=${words.stopped('{so far}')} data-interrupted=${words.interrupted('{so far}')} data-done=${words.done}>
            <progress aria-label=${words.progress}></progress>
            <p></p>
            <button class="button" type="button">${words.stop}</button>
            <a class="button" href=${call.href(`/subscriptions/${id}/deliveries`)} hidden>${deliveries.view}</a>
          </div>
        </form>`,
  )
}

function aboutTo({ resent, complete }: RangeCount, probes: boolean, call: Call): string {
  const { aboutTo: words } = call.texts.deliveries.range
  const counted = count(call, resent)
  if (complete) return resent > 0 ? words.all(counted) : probes ? words.probe : words.nothing
  return resent === 0 ? words.unknown : words.atLeast(counted)
}
