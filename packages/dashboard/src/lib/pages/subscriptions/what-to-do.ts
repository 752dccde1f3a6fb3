import type { SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { integrationName } from './manager.ts'
import { ageInWords } from './subscription-state.ts'

/** What is wrong with a subscription, and what to do about it. */
export interface WhatToDo {
  readonly tone: Tone
  readonly title: string
  readonly body: string
}

/** Where all is well again, and what failed before is left. */
export const SEND_AGAIN: WhatToDo = {
  tone: 'warning',
  title: 'Some deliveries have used up their tries without arriving.',
  body: 'It works again: send them once more if they still matter.',
}

/** In a few plain sentences; undefined: nothing is wrong. */
export function whatToDo(subscription: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  return subscription.state === 'disabled' ? disabled(subscription, call) : failing(subscription, call)
}

function failing({ health: { failing: row, lastAttempt } }: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  if (row === undefined) return undefined
  const { cause, mend } =
    lastAttempt === undefined || lastAttempt.outcome === 'delivered'
      ? { cause: 'The last tries failed', mend: undefined }
      : attemptWords(lastAttempt)
  return {
    tone: 'danger',
    title: `${cause}. Nothing has arrived for ${ageInWords(row.since, call)}.`,
    body: `${mend ?? 'Mend your endpoint.'} Then try again: once one delivery arrives, what waits follows by itself.`,
  }
}

function disabled(subscription: SubscriptionWithHealth, call: Call): WhatToDo {
  const { disabledReason = 'manual', source } = subscription
  const steps = source === 'dashboard' ? HERE : elsewhere(managerOf(subscription, call))
  return { tone: disabledReason === 'manual' ? 'neutral' : 'warning', ...steps[disabledReason] }
}

type Steps = Readonly<Record<NonNullable<SubscriptionWithHealth['disabledReason']>, Omit<WhatToDo, 'tone'>>>

const NO_DELIVERIES = 'Disabled: no deliveries are made.'
const STOPPED = 'Then what was stopped meanwhile can be sent again.'

const HERE: Steps = {
  gone: {
    title: 'The target said that it is gone (410), which ends deliveries at once.',
    body: `Change the address to one that is there, and enable the subscription. ${STOPPED}`,
  },
  failing: {
    title: 'Nothing arrived for five days, so deliveries were stopped.',
    body: `Mend your endpoint, and enable the subscription. ${STOPPED}`,
  },
  key: { title: NO_DELIVERIES, body: `Enable the subscription when you want them again. ${STOPPED}` },
  manual: {
    title: 'It was switched off by hand: no deliveries are made.',
    body: `Enable it when you want them again: it goes on with what is new. ${STOPPED}`,
  },
}

function elsewhere(manager: string): Steps {
  return {
    gone: {
      title: 'The target said that it is gone (410), which ends deliveries at once.',
      body: `The automation was switched off or deleted in ${manager}. Switch it on again there if you want it: it subscribes anew.`,
    },
    failing: {
      title: 'Nothing arrived for five days, so deliveries were stopped.',
      body: `Mend the automation in ${manager}, then switch it off and on again there: that enables this subscription. ${STOPPED}`,
    },
    key: {
      title: 'Its API key was revoked or has expired, so no deliveries are made.',
      body: `Give ${manager} another API key of this account, and switch the automation off and on again there. ${STOPPED}`,
    },
    manual: {
      title: 'It was switched off by hand: no deliveries are made.',
      body: 'Whoever runs this platform did that, and can enable it again: ask them.',
    },
  }
}

function managerOf(subscription: SubscriptionWithHealth, call: Call): string {
  return subscription.integration === 'other' ? 'the program that made it' : integrationName(subscription, call)
}
