import type { Callboard } from '@callboard/core'
import type { ResendableState, SubscriptionRef } from '@callboard/core/store'
import type { CommandContext } from './command-context.ts'
import { interrupted } from './command-error.ts'
import { formatProgress } from './progress-bar.ts'

/** Which deliveries are to be sent again, all that ended in the range. */
export interface Range {
  readonly from: Date
  readonly to: Date | undefined
  readonly states: readonly ResendableState[]
  /** Where a call before has stopped. */
  readonly resume: string | undefined
}

/** Sends a range again, step by step. Whatever stops it, it says what was done and how to go on. */
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
  let cursor = resume
  let origin: number | undefined

  const count = (): string => `${resent.toLocaleString('en')} sent again`
  /** Cursors are signed with the platform's keys; without them one starts anew, which doubles nothing. */
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
      const step = await callboard.deliveries.resendRange(ref, { from, to, states, cursor })
      resent += step.resent
      if (step.nextCursor === null) break
      cursor = step.nextCursor
      const reached = Math.max(from.getTime(), step.reachedAt?.getTime() ?? 0)
      // From where events begin, which may be long after the range does.
      origin ??= reached
      err.progress(formatProgress((reached - origin) / (until - origin), count()))
      signal.throwIfAborted()
    }
  } catch (error) {
    err.progress('')
    if (out.json) out.document({ resent, nextCursor: canResume ? (cursor ?? null) : null })
    const end = `${count()} so far. Continue with:\n  ${howToGoOn()}`
    if (signal.aborted) throw interrupted(`Interrupted, ${end}`)
    err.note(`Stopped, ${end}`)
    throw error
  } finally {
    signal.removeEventListener('abort', stopping)
  }
  err.progress('')
  context.done({ resent, nextCursor: null }, `${count()}.`)
}

/** A text as a shell reads it back: an account's id is the platform's own. */
function shellWord(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
