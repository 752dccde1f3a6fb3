import type { Callboard, DeliveryRange } from '@callboard/core'
import type { ResendableState, SubscriptionRef } from '@callboard/core/store'
import type { CommandContext } from './command-context.ts'
import { interrupted } from './command-error.ts'

/** Selects the deliveries to resend: their state is one of `states`, and their event was published in the range. */
export interface Range extends DeliveryRange {
  readonly to: Date | undefined
  readonly states: readonly ResendableState[]
  /** The cursor at which an earlier run stopped; undefined to begin at `from`. */
  readonly resume: string | undefined
}

/** On a terminal, says how many deliveries are about to be resent, and asks whether to resend them. */
export async function confirmRange(
  { confirm, out, stdin }: CommandContext,
  { deliveries }: Callboard,
  ref: SubscriptionRef,
  { from, to, states, resume }: Range,
): Promise<void> {
  if (out.json || stdin.isTTY !== true || resume !== undefined) return
  const { resent, waiting, complete } = await deliveries.countRange({
    ...ref,
    subscriptionId: ref.id,
    from,
    to,
    states,
  })
  if (complete && resent === 0) return
  if (resent === 0) return confirm('Too many deliveries to count. Resend those of this range?')
  const count = `${complete ? '' : 'at least '}${resent.toLocaleString('en')}`
  await confirm(`Resend ${count} ${resent === 1 ? 'delivery' : 'deliveries'}?${complete ? whatWaits(waiting) : ''}`)
}

/** Resends a range, step by step. If anything stops the command, it prints what was done and how to continue. */
export async function resendRange(
  context: CommandContext,
  callboard: Callboard,
  ref: SubscriptionRef,
  { from, to, states, resume }: Range,
): Promise<void> {
  const { out, err } = context
  const signal = context.signal()
  const { configured: canResume } = await context.platform()
  const until = (to ?? new Date()).getTime()
  let resent = 0
  let waiting = 0
  const found: Partial<Record<ResendableState, number>> = {}
  let cursor = resume
  let origin: number | undefined

  const count = (): string => `${resent.toLocaleString('en')} resent`
  /**
   * Returns the command line with which to continue. Without a config module there is no key to verify a cursor, so
   * that command starts the range over. This is safe, because no delivery is resent twice.
   */
  const howToGoOn = (): string => {
    const flags = [`--account ${shellWord(ref.accountId)}`, `--mode ${ref.mode}`, `--from ${from.toISOString()}`]
    if (to !== undefined) flags.push(`--to ${to.toISOString()}`)
    flags.push(`--state ${states.join(' ')}`)
    if (canResume && cursor !== undefined) flags.push(`--resume ${cursor}`)
    return `callboard deliveries resend ${ref.id} ${flags.join(' ')}`
  }
  const stopping = (): void => err.note('\nStopping after this step. Press Ctrl-C again to stop at once.')

  signal.addEventListener('abort', stopping, { once: true })
  try {
    for (;;) {
      const step = await callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from, to, states, cursor })
      resent += step.resent
      waiting += step.waiting
      for (const state of states) found[state] = (found[state] ?? 0) + step.found[state]
      if (step.nextCursor === null) break
      cursor = step.nextCursor
      const reached = Math.max(from.getTime(), step.reachedAt?.getTime() ?? 0)
      // Progress is measured from the end of the first step, because the first event can be much later than `from`.
      origin ??= reached
      err.progress(count(), (reached - origin) / (until - origin))
      signal.throwIfAborted()
    }
  } catch (error) {
    err.endProgress()
    // No step of this run has succeeded yet, so there is nothing to continue.
    if (cursor === resume && !signal.aborted) throw error
    if (out.json) out.document({ resent, waiting, found, nextCursor: canResume ? (cursor ?? null) : null })
    const end = `${count()} so far. Continue with:\n  ${howToGoOn()}`
    if (signal.aborted) throw interrupted(`Interrupted, ${end}`)
    err.note(`Stopped, ${end}`)
    throw error
  } finally {
    signal.removeEventListener('abort', stopping)
  }
  err.endProgress()
  context.done({ resent, waiting, found, nextCursor: null }, `${count()}${byState(found)}.${whatWaits(waiting)}`)
  if (!out.json && !states.includes('skipped') && (await hasSkipped(callboard, ref)))
    err.note('The subscription also has skipped deliveries: --state skipped resends them.')
}

function byState(found: Readonly<Partial<Record<ResendableState, number>>>): string {
  const counts = Object.entries(found).flatMap(([state, n]) => (n === 0 ? [] : [`${n.toLocaleString('en')} ${state}`]))
  return counts.length === 0 ? '; found nothing to resend in that time' : ` (found ${counts.join(', ')})`
}

function whatWaits(waiting: number): string {
  if (waiting === 0) return ''
  return ` ${waiting.toLocaleString('en')} ${waiting === 1 ? 'is' : 'are'} due or not attempted yet, and will be sent anyway.`
}

async function hasSkipped({ deliveries }: Callboard, ref: SubscriptionRef): Promise<boolean> {
  return (await deliveries.list({ ...ref, subscriptionId: ref.id, state: 'skipped', limit: 1 })).deliveries.length > 0
}

/** Quotes text for a shell if necessary: the platform chooses the account ids, which can contain spaces and quotes. */
function shellWord(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
