import { CallboardError } from '@callboard/core'
import { ATTEMPT_CAUSES } from '@callboard/core/engine'
import type { TransportFailureReason, TransportOutcome } from '@callboard/delivery'

/** Why a target gives no response: `timeout`, `connect`, `reset`, `dns`, `tls`, `certificate` and so on. */
export type TestFailure = Exclude<TransportFailureReason, 'aborted'>

/** How a target answers: a status from 200 to 599, a `Response`, or no response for a reason. */
export type TestAnswer = number | TestFailure | Response

/** Answers one request, which has the headers and the body of the delivery. May throw, which fails the test. */
export type TestReceiver = (request: Request) => TestAnswer | Promise<TestAnswer>

/** A target as a test controls it. */
export interface TestTarget {
  /**
   * Sets how the target answers its next requests, one answer for each request. The last answer also applies to all
   * requests after it. Replaces the answers set before. A target without answers answers 200.
   *
   * @throws CallboardError `CONFIGURATION_INVALID` for no answer, a status that is not from 200 to 599, or an unknown
   *   reason.
   * @example
   * app.target('https://shop.example/hook').answers(500, 'timeout', 200)
   */
  answers(...answers: readonly (Exclude<TestAnswer, Response> | TestReceiver)[]): void
}

/** A request that a target gets. */
export interface TargetRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface TestTargets {
  target(url: string): TestTarget
  /** Answers a request as the test says. Throws what a receiver throws. */
  answer(request: TargetRequest): Promise<TransportOutcome>
  /** The targets that got no request since their answers were set. */
  unasked(): readonly string[]
}

/** A receiver may take this long, in milliseconds. Less than the time limit of a test in most test runners. */
const RECEIVER_MS = 4_000
/** The duration of an attempt that timed out, in milliseconds: the default deadline of a worker. */
const TIMEOUT_MS = 15_000
const KEPT_LENGTH = 5_000

const FAILURES: readonly string[] = Object.keys(ATTEMPT_CAUSES).filter(
  (reason) => !['aborted', 'unprepared', 'crashed'].includes(reason),
)

/** @param receiverMs how long a receiver may take. */
export function createTestTargets(receiverMs: number = RECEIVER_MS): TestTargets {
  const targets = new Map<string, { readonly answers: readonly (TestAnswer | TestReceiver)[]; asked: number }>()

  return {
    target(url) {
      const key = keyOf(url)
      return {
        answers(...answers) {
          if (answers.length === 0) throw wrong(`target('${url}').answers() needs an answer, such as answers(500).`)
          for (const answer of answers) {
            if (isResponse(answer)) throw wrong(`${url}: a Response is read once. Use answers(() => new Response(…)).`)
            if (typeof answer !== 'function') assertAnswer(answer, url)
          }
          targets.set(key, { answers, asked: 0 })
        },
      }
    },
    async answer(request) {
      const target = targets.get(keyOf(request.url))
      const answer = target?.answers[Math.min(target.asked, target.answers.length - 1)] ?? 200
      if (target !== undefined) target.asked++
      if (typeof answer !== 'function') return outcomeOf(answer)
      const received = await withinTime(receiverMs, answer(toRequest(request)), request.url)
      assertAnswer(received, request.url)
      return outcomeOf(received)
    },
    unasked: () => [...targets].flatMap(([url, { asked }]) => (asked === 0 ? url : [])),
  }
}

/** The form in which two URLs of the same target are equal. */
export function keyOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) throw wrong(`target('${url}') needs a URL, such as https://shop.example/hook.`)
  return parsed.href
}

function toRequest({ url, headers, body }: TargetRequest): Request {
  return new Request(url, { method: 'POST', headers, body })
}

async function outcomeOf(answer: TestAnswer): Promise<TransportOutcome> {
  if (typeof answer === 'string')
    return { kind: 'failed', reason: answer, durationMs: answer === 'timeout' ? TIMEOUT_MS : 0 }
  if (typeof answer === 'number') return { kind: 'response', status: answer, body: '', truncated: false, durationMs: 0 }
  const text = await answer.text()
  return {
    kind: 'response',
    status: answer.status,
    retryAfter: answer.headers.get('retry-after') ?? undefined,
    date: answer.headers.get('date') ?? undefined,
    body: wellFormed(text.slice(0, KEPT_LENGTH)).replaceAll('\0', '\ufffd'),
    truncated: text.length > KEPT_LENGTH,
    durationMs: 0,
  }
}

/** Replaces lone surrogates, such as half of a character that was cut. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text))
}

/** A JavaScript test, or a receiver that returns nothing, can pass anything. */
function assertAnswer(answer: unknown, url: string): asserts answer is TestAnswer {
  if (typeof answer === 'number' || isResponse(answer)) {
    const status = typeof answer === 'number' ? answer : answer.status
    if (Number.isInteger(status) && status >= 200 && status <= 599) return
    throw wrong(`${url} cannot answer with status ${status}: use a status from 200 to 599.`)
  }
  if (typeof answer === 'string' && FAILURES.includes(answer)) return
  throw wrong(`${url} cannot answer with ${shown(answer)}: use a status, a Response, or one of ${FAILURES.join(', ')}.`)
}

/** Also of another class than the global one, such as that of undici or `@hono/node-server`. */
function isResponse(answer: unknown): answer is Response {
  return typeof answer === 'object' && answer !== null && 'status' in answer && 'headers' in answer && 'text' in answer
}

function shown(answer: unknown): string {
  return typeof answer === 'string' ? `'${answer.slice(0, 30)}'` : answer === undefined ? 'undefined' : typeof answer
}

/** Rejects if a receiver hangs, so that the test fails with a reason before its own time limit. */
async function withinTime<T>(milliseconds: number, work: T | Promise<T>, url: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        wrong(`The answer of ${url} took longer than ${milliseconds} ms. For a target that hangs: answers('timeout').`),
      )
    }, milliseconds)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** The error for a mistake in a test. `message` says what to do. */
export function wrong(message: string): CallboardError {
  return new CallboardError('CONFIGURATION_INVALID', message)
}
