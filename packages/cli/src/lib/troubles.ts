import type { LoggedAttempt, Trouble, TroubledSubscription } from '@callboard/core'

/** The words for what is wrong with a subscription. */
export const TROUBLES: Readonly<Record<Trouble, string>> = {
  disabled: 'disabled',
  paused: 'paused',
  failing: 'failing',
  behind: 'behind',
  slow: 'slow target',
  heldBack: 'held back',
}

type Troubled = Pick<TroubledSubscription, 'trouble' | 'disabledReason'>

/** What is wrong with a subscription: `paused`, `disabled (gone)`. */
export function troubleName({ trouble, disabledReason }: Troubled): string {
  return TROUBLES[trouble] + (disabledReason === undefined ? '' : ` (${disabledReason})`)
}

/** What an operator can do about a trouble. `id` is the id of the subscription, or a placeholder. */
export function troubleAdvice({ trouble, disabledReason }: Troubled, id: string): string {
  switch (trouble) {
    case 'disabled':
      if (disabledReason === 'key')
        return (
          'its key was revoked or has expired. Let the integration subscribe again with a new key, or run callboard ' +
          `subscriptions enable ${id} --key <new key>`
        )
      if (disabledReason === 'account' || disabledReason === 'platform')
        return `somebody disabled it on purpose. If that reason is gone, run callboard subscriptions enable ${id}`
      return `once its target works, run callboard subscriptions enable ${id}, then callboard deliveries resend ${id} --from 24h`
    case 'paused':
    case 'failing':
      return `its target keeps failing. callboard deliveries list --subscription ${id} shows the responses`
    case 'behind':
      return 'the workers do not keep up (see `workers` in callboard status). Start another worker, or increase `lanes`'
    case 'slow':
      return (
        'workers are sending, but deliveries still wait. If this lasts, its events are published faster than it ' +
        'answers. More workers do not help: tell its owner to respond within a few seconds'
      )
    case 'heldBack':
      return 'its target gets only a limited number of requests at a time. Usually, nothing needs to be done'
  }
}

/** How an attempt ended, short enough for a table: `502`, `certificate expired`. */
export function shortAnswer(
  attempt: Pick<LoggedAttempt, 'status' | 'reason'> | undefined,
): string | number | undefined {
  return attempt?.status ?? attempt?.reason?.replaceAll('_', ' ')
}
