import type { Issue } from '@callboard/core'
import { validationFailed } from '@callboard/core/engine'
import { RESENDABLE_STATES, type ResendableState } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { isTimeZone, zonedTime } from '../../time-zone.ts'

/** The states whose deliveries the form can resend, in the order in which it lists them. */
export const RESENDABLE: readonly ResendableState[] = [
  ...new Set<ResendableState>(['exhausted', 'pending', 'retrying', 'skipped', ...RESENDABLE_STATES]),
]

const HOUR_MS = 3_600_000

/** The choices for the start of the range. The form also offers `time`, for a start that the viewer enters. */
export const SINCE: readonly { readonly value: 'hour' | 'day' | 'week'; readonly ms: number }[] = [
  { value: 'hour', ms: HOUR_MS },
  { value: 'day', ms: 24 * HOUR_MS },
  { value: 'week', ms: 7 * 24 * HOUR_MS },
]

/** The input of a step: the range, the states to resend, and the progress of earlier steps. */
export interface ResendSteps {
  readonly from: Date
  /** When resending started, which is the end of the range. */
  readonly until: Date
  /** The chosen start: a value of `SINCE`, or `time`. */
  readonly since: string
  readonly states: readonly ResendableState[]
  /** Deliveries resent so far. */
  readonly resent: number
  /**
   * Deliveries found so far that were not resent, because they are sent anyway: those not attempted yet, and retries
   * that were due when they were found.
   */
  readonly waiting: number
  /** Where the step continues in the range; undefined for the first step. */
  readonly cursor: string | undefined
}

/**
 * The issue to report if `next` was altered or belongs to another range. `next` is a hidden field, so the issue names
 * no field.
 */
export function lostProgress({ texts }: Pick<Call, 'texts'>): Issue {
  return { path: '', code: 'FORMAT', message: texts.deliveries.range.lostProgress }
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
export function readSteps(form: URLSearchParams, call: Call): ResendSteps {
  const next = form.get('next')
  if (next === null || next === '') return readChoice(form, call)
  const steps = readNext(next, call)
  return isOtherChoice(form, steps, call) ? readChoice(form, call) : steps
}

/**
 * Whether the viewer has changed the choices since `next` was created. Without JavaScript, the page after each step
 * posts only `next`, so missing choices count as unchanged.
 */
function isOtherChoice(form: URLSearchParams, { from, since, states }: ResendSteps, call: Call): boolean {
  if (!form.has('since')) return false
  const sameTime = since === 'time' ? readFrom(form, call)?.getTime() === from.getTime() : form.get('since') === since
  return !sameTime || form.getAll('state').join('+') !== states.join('+')
}

function readNext(next: string, call: Call): ResendSteps {
  const [from = '', until = '', since = '', states = '', sent = '', left = '', cursor = ''] = next.split('.')
  const [begin, end, resent, waiting] = [from, until, sent, left].map((digits) =>
    /^\d{1,15}$/.test(digits) ? Number(digits) : undefined,
  )
  const chosen = states.split('+').filter(isResendable)
  if (begin === undefined || end === undefined || resent === undefined || waiting === undefined)
    throw validationFailed(lostProgress(call))
  if (cursor === '' || chosen.length === 0) throw validationFailed(lostProgress(call))
  return { from: new Date(begin), until: new Date(end), since, states: chosen, resent, waiting, cursor }
}

function readChoice(form: URLSearchParams, call: Call): ResendSteps {
  const words = call.texts.deliveries.range
  const issues: Issue[] = []
  const states = form.getAll('state').filter(isResendable)
  if (states.length === 0) issues.push({ path: 'state', code: 'COUNT', message: words.noState })
  const from = readFrom(form, call)
  if (from === undefined) issues.push({ path: 'at', code: 'RANGE', message: words.notPast })
  if (from === undefined || issues.length > 0) throw validationFailed(issues)
  return {
    from,
    until: new Date(call.engine.now()),
    since: form.get('since') ?? '',
    states,
    resent: 0,
    waiting: 0,
    cursor: undefined,
  }
}

function readFrom(form: URLSearchParams, { engine, timeZone }: Call): Date | undefined {
  const since = form.get('since') ?? ''
  const choice = SINCE.find(({ value }) => value === since)
  if (choice !== undefined) return new Date(engine.now() - choice.ms)
  if (since !== 'time') return undefined
  // `zone` is the time zone in which the form showed the field `at`. The viewer's zone may have changed since then.
  const zone = form.get('zone') ?? timeZone
  const time = zonedTime(form.get('at') ?? '', isTimeZone(zone) ? zone : timeZone)
  return time !== undefined && time.getTime() >= 0 && time.getTime() <= engine.now() ? time : undefined
}

function isResendable(state: string): state is ResendableState {
  return RESENDABLE.some((each) => each === state)
}
