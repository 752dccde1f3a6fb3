import type { Issue } from '@callboard/core'
import { validationFailed } from '@callboard/core/engine'
import type { ResendableState } from '@callboard/core/store'

/** What can be chosen to be sent again, in words. */
export const RESENDABLE: Readonly<Record<ResendableState, { readonly label: string; readonly hint: string }>> = {
  exhausted: { label: 'Failed', hint: 'Every try failed. They are sent with a whole new schedule of tries.' },
  retrying: { label: 'Retrying', hint: 'They wait for their next try, which is made now instead.' },
  skipped: { label: 'Skipped', hint: 'Somebody skipped them while they waited.' },
  disabled: { label: 'Stopped', hint: 'The subscription was disabled while they waited.' },
}

const HOUR_MS = 3_600_000

/** Since when, in words; `time` is a time of one's own. */
export const SINCE: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  hour: { label: 'The last hour', ms: HOUR_MS },
  day: { label: 'The last 24 hours', ms: 24 * HOUR_MS },
  week: { label: 'The last 7 days', ms: 7 * 24 * HOUR_MS },
}

/** Where sending a range again stands between two steps. */
export interface ResendSteps {
  readonly from: Date
  /** When it was begun: as far as it has to go. */
  readonly until: Date
  /** By which choice it was begun. */
  readonly since: string
  readonly states: readonly ResendableState[]
  /** How many were sent again so far. */
  readonly resent: number
  /** Undefined: this is the first step. */
  readonly cursor: string | undefined
}

/** The field is altered or belongs to another range. Nobody typed it, so no field of the form is to blame. */
export const UNREADABLE_NEXT: Issue = {
  path: '',
  code: 'FORMAT',
  message: 'Where it stopped could not be read. Begin again: nothing is sent twice.',
}

/** All of it as one text, for the field `next` of the next step's form. The cursor in it fits nothing but its own range. */
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
 * What a form asks for: the step of its `next`, or the first of what is chosen, also when that is another choice by now. Throws
 * `VALIDATION_FAILED` with one issue a field.
 */
export function readSteps(form: URLSearchParams, now: number): ResendSteps {
  const next = form.get('next')
  if (next === null || next === '') return readChoice(form, now)
  const steps = readNext(next)
  return isOtherChoice(form, steps, now) ? readChoice(form, now) : steps
}

/** The page between two steps has no choices. */
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
  if (states.length === 0) issues.push({ path: 'state', code: 'COUNT', message: 'Choose at least one.' })
  const from = readFrom(form, now)
  if (from === undefined) issues.push({ path: 'at', code: 'RANGE', message: 'Give a time in the past.' })
  if (from === undefined || issues.length > 0) throw validationFailed(issues)
  return { from, until: new Date(now), since: form.get('since') ?? '', states, resent: 0, cursor: undefined }
}

function readFrom(form: URLSearchParams, now: number): Date | undefined {
  const since = form.get('since') ?? ''
  const choice = Object.hasOwn(SINCE, since) ? SINCE[since] : undefined
  if (choice !== undefined) return new Date(now - choice.ms)
  if (since !== 'time') return undefined
  const at = form.get('at') ?? ''
  // As `datetime-local` gives it, which knows no zone; the script sends the instant.
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at) ? Date.parse(/Z$/.test(at) ? at : `${at}Z`) : Number.NaN
  return time >= 0 && time <= now ? new Date(time) : undefined
}

function isResendable(state: string): state is ResendableState {
  return Object.hasOwn(RESENDABLE, state)
}
