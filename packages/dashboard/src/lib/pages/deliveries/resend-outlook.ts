import type { SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { dateTime } from '../../components/time.ts'
import type { Html } from '../../html.ts'
import { heldBackBecause, type WhatToDo, whatToDo } from '../subscriptions/what-to-do.ts'
import { isKeyEnded } from './personal-data-sent.ts'

/** What will become of resent deliveries, if they are not simply sent now. */
export async function resendOutlook(subscription: SubscriptionWithHealth, call: Call): Promise<Html> {
  const ahead = (await isKeyEnded(subscription, call))
    ? whatToDo({ ...subscription, state: 'disabled', disabledReason: 'key' }, call)
    : outlook(subscription, call)
  return ahead && callout(ahead.tone, ahead)
}

function outlook(subscription: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  const { failing, pausedUntil } = subscription.health
  const { advice, deliveries } = call.texts
  const { ahead } = deliveries.range
  if (pausedUntil !== undefined)
    return { tone: 'warning', title: advice.pausedUntil(dateTime(call, pausedUntil)), body: ahead.paused }
  const trouble = whatToDo(subscription, call)
  if (trouble === undefined) return heldBackBecause(subscription, call)
  return { tone: 'warning', title: trouble.title, body: failing === undefined ? ahead.late : ahead.failing }
}
