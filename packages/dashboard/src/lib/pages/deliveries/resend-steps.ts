import type { Issue } from '@callboard/core'
import { validationFailed } from '@callboard/core/engine'
import type { ResendableState } from '@callboard/core/store'

/** The states that can be resent, in words. */
export const RESENDABLE: Readonly<Record<ResendableState, { readonly label: string; readonly hint: string }>> = {
  exhausted: { label: 'Exhausted', hint: 'Every attempt failed. They are resent with a new retry schedule.' },
  retrying: { label: 'Retrying', hint: 'The next attempt is scheduled. It is made now instead.' },
  skipped: { label: 'Skipped', hint: 'They were skipped manually before they were delivered.' },
  disabled: { label: 'Disabled', hint: 'The subscription was disabled before they were delivered.' },
}

const HOUR_MS = 3_600_000

/** The choices for the start of the range. The form also offers `time`, a time that the viewer enters. */
export const SINCE: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  hour: { label: 'In the last hour', ms: HOUR_MS },
  day: { label: 'In the last 24 hours', ms: 24 * HOUR_MS },
  week: { label: 'In the last 7 days', ms: 7 * 24 * HOUR_MS },
}

/** The progress of resending a range, between two steps. */
export interface ResendSteps {
  readonly from: Date
  /** When resending started, which is the end of the range. */
  readonly until: Date
  /** The choice that it started with. */
  readonly since: string
  readonly states: readonly ResendableState[]
  /** Deliveries resent so far. */
  readonly resent: number
  /** Undefined on the first step. */
  readonly cursor: string | undefined
}

/** `next` was altered or belongs to another range. It is a hidden field, so the issue names no field of the form. */
export const UNREADABLE_NEXT: Issue = {
  path: '',
  code: 'FORMAT',
  message: 'The saved progress could not be read. Start again: nothing is resent twice.',
}

/** Encodes the progress for the hidden field `next`. Its cursor is valid for this range only. */
export function writeNext({
  from,
  until,
  since,
  states,
  resent,
  cursor,
}: ResendSteps & { readonly cursor: string }): string {
  return [from.getTime(), until.getTime(), since, states.join('+'), resent, cursor].join('.')
}

/**
 * Reads the step to take: the one in `next`, or the first step if there is no `next` or the choices have changed since.
 * Throws `VALIDATION_FAILED` with one issue per field.
 */
export function readSteps(form: URLSearchParams, now: number): ResendSteps {
  const next = form.get('next')
  if (next === null || next === '') return readChoice(form, now)
  const steps = readNext(next)
  return isOtherChoice(form, steps, now) ? readChoice(form, now) : steps
}

/** Whether the choices differ from those that `next` was created with. The page between two steps posts no choices. */
function isOtherChoice(form: URLSearchParams, { from, since, states }: ResendSteps, now: number): boolean {
  if (!form.has('since')) return false
  const sameTime = since === 'time' ? readFrom(form, now)?.getTime() === from.getTime() : form.get('since') === since
  return !sameTime || form.getAll('state').join('+') !== states.join('+')
}

function readNext(next: string): ResendSteps {
  const [from = '', until = '', since = '', states = '', resent = '', cursor = ''] = next.split('.')
  const [begin, end, count] = [from, until, resent].map((digits) =>
    /^\d{1,15}$/.test(digits) ? Number(digits) : undefined,
  )
  const chosen = states.split('+').filter(isResendable)
  if (begin === undefined || end === undefined || count === undefined || cursor === '' || chosen.length === 0)
    throw validationFailed(UNREADABLE_NEXT)
  return { from: new Date(begin), until: new Date(end), since, states: chosen, resent: count, cursor }
}

function readChoice(form: URLSearchParams, now: number): ResendSteps {
  const issues: Issue[] = []
  const states = form.getAll('state').filter(isResendable)
  if (states.length === 0) issues.push({ path: 'state', code: 'COUNT', message: 'Choose at least one state.' })
  const from = readFrom(form, now)
  if (from === undefined) issues.push({ path: 'at', code: 'RANGE', message: 'Enter a time in the past.' })
  if (from === undefined || issues.length > 0) throw validationFailed(issues)
  return { from, until: new Date(now), since: form.get('since') ?? '', states, resent: 0, cursor: undefined }
}

function readFrom(form: URLSearchParams, now: number): Date | undefined {
  const since = form.get('since') ?? ''
  const choice = Object.hasOwn(SINCE, since) ? SINCE[since] : undefined
  if (choice !== undefined) return new Date(now - choice.ms)
  if (since !== 'time') return undefined
  const at = form.get('at') ?? ''
  // Without the script, `datetime-local` sends no zone and counts as UTC. The script sends UTC with a `Z`.
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at) ? Date.parse(/Z$/.test(at) ? at : `${at}Z`) : Number.NaN
  return time >= 0 && time <= now ? new Date(time) : undefined
}

function isResendable(state: string): state is ResendableState {
  return Object.hasOwn(RESENDABLE, state)
}
