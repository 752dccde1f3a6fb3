import type { Callboard } from '@callboard/core'
import type { ResendableState, SubscriptionRef } from '@callboard/core/store'
import type { CommandContext } from './command-context.ts'
import { interrupted } from './command-error.ts'
import { formatProgress } from './progress-bar.ts'

/** The deliveries to resend: those in one of the states whose events were published in the range. */
export interface Range {
  readonly from: Date
  readonly to: Date | undefined
  readonly states: readonly ResendableState[]
  /** The cursor at which an earlier call stopped. */
  readonly resume: string | undefined
}

/** Resends a range, step by step. If anything stops it, it says what was done and how to continue. */
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

  const count = (): string => `${resent.toLocaleString('en')} resent`
  /** Cursors are signed with the platform's keys. Without these the range starts over, which resends nothing twice. */
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
      // Progress counts from the first event, which may be long after the start of the range.
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

/** Quotes text for a shell: the platform chooses the ids of accounts. */
function shellWord(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
