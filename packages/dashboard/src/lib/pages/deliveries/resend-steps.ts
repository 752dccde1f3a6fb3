import type { Issue } from '@callboard/core'
import { validationFailed } from '@callboard/core/engine'
import type { ResendableState } from '@callboard/core/store'

/** The states that can be resent, in words. */
export const RESENDABLE: Readonly<Record<ResendableState, { readonly label: string; readonly hint: string }>> = {
  exhausted: {
    label: 'Exhausted',
    hint: 'Every attempt failed. These deliveries are resent with a new retry schedule.',
  },
  pending: {
    label: 'Pending',
    hint: 'These deliveries have not been attempted yet. They keep their turn; a paused subscription is tried now.',
  },
  retrying: { label: 'Retrying', hint: 'These deliveries wait for their next attempt, which is made now instead.' },
  skipped: { label: 'Skipped', hint: 'These deliveries were skipped manually and not delivered.' },
  disabled: { label: 'Disabled', hint: 'These deliveries ended when the subscription was disabled.' },
}

const HOUR_MS = 3_600_000

/** The choices for the start of the range. The form also offers `time`, for a start that the viewer enters. */
export const SINCE: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  hour: { label: 'In the last hour', ms: HOUR_MS },
  day: { label: 'In the last 24 hours', ms: 24 * HOUR_MS },
  week: { label: 'In the last 7 days', ms: 7 * 24 * HOUR_MS },
}

/** The input of a step: the range, the states to resend, and how far earlier steps have come. */
export interface ResendSteps {
  readonly from: Date
  /** When resending started, which is the end of the range. */
  readonly until: Date
  /** The chosen start: a key of `SINCE`, or `time`. */
  readonly since: string
  readonly states: readonly ResendableState[]
  /** Deliveries resent so far. */
  readonly resent: number
  /** Deliveries found so far that are sent in their turn anyway. */
  readonly waiting: number
  /** Where the step continues in the range; undefined for the first step. */
  readonly cursor: string | undefined
}

/**
 * The issue to report if `next` was altered or belongs to another range. `next` is a hidden field, so the issue names
 * no field.
 */
export const UNREADABLE_NEXT: Issue = {
  path: '',
  code: 'FORMAT',
  message: 'The saved progress could not be read. Start again: nothing is resent twice.',
}

/** Encodes the next step for the hidden field `next`. The cursor in that field is valid for this range only. */
export function writeNext({
  from,
  until,
  since,
  states,
  resent,
  waiting,
  cursor,
}: ResendSteps & { readonly cursor: string }): string {
  return [from.getTime(), until.getTime(), since, states.join('+'), resent, waiting, cursor].join('.')
}

/**
 * Reads the step to take: the step in `next`, or the first step if `next` is empty or the choices have changed. Throws
 * `VALIDATION_FAILED` with one issue per field.
 */
export function readSteps(form: URLSearchParams, now: number): ResendSteps {
  const next = form.get('next')
  if (next === null || next === '') return readChoice(form, now)
  const steps = readNext(next)
  return isOtherChoice(form, steps, now) ? readChoice(form, now) : steps
}

/**
 * Whether the viewer has changed the choices since `next` was created. The page between two steps posts only `next`, so
 * choices that are missing from the form count as unchanged.
 */
function isOtherChoice(form: URLSearchParams, { from, since, states }: ResendSteps, now: number): boolean {
  if (!form.has('since')) return false
  const sameTime = since === 'time' ? readFrom(form, now)?.getTime() === from.getTime() : form.get('since') === since
  return !sameTime || form.getAll('state').join('+') !== states.join('+')
}

function readNext(next: string): ResendSteps {
  const [from = '', until = '', since = '', states = '', sent = '', left = '', cursor = ''] = next.split('.')
  const [begin, end, resent, waiting] = [from, until, sent, left].map((digits) =>
    /^\d{1,15}$/.test(digits) ? Number(digits) : undefined,
  )
  const chosen = states.split('+').filter(isResendable)
  if (begin === undefined || end === undefined || resent === undefined || waiting === undefined)
    throw validationFailed(UNREADABLE_NEXT)
  if (cursor === '' || chosen.length === 0) throw validationFailed(UNREADABLE_NEXT)
  return { from: new Date(begin), until: new Date(end), since, states: chosen, resent, waiting, cursor }
}

function readChoice(form: URLSearchParams, now: number): ResendSteps {
  const issues: Issue[] = []
  const states = form.getAll('state').filter(isResendable)
  if (states.length === 0) issues.push({ path: 'state', code: 'COUNT', message: 'Choose at least one state.' })
  const from = readFrom(form, now)
  if (from === undefined) issues.push({ path: 'at', code: 'RANGE', message: 'Enter a time in the past.' })
  if (from === undefined || issues.length > 0) throw validationFailed(issues)
  return {
    from,
    until: new Date(now),
    since: form.get('since') ?? '',
    states,
    resent: 0,
    waiting: 0,
    cursor: undefined,
  }
}

function readFrom(form: URLSearchParams, now: number): Date | undefined {
  const since = form.get('since') ?? ''
  const choice = Object.hasOwn(SINCE, since) ? SINCE[since] : undefined
  if (choice !== undefined) return new Date(now - choice.ms)
  if (since !== 'time') return undefined
  const at = form.get('at') ?? ''
  // The script sends a UTC time that ends in `Z`. Without the script, the time has no zone and is read as UTC.
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at) ? Date.parse(/Z$/.test(at) ? at : `${at}Z`) : Number.NaN
  return time >= 0 && time <= now ? new Date(time) : undefined
}

function isResendable(state: string): state is ResendableState {
  return Object.hasOwn(RESENDABLE, state)
}
