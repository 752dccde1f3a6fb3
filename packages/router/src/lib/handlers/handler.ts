import type { Admission, Callboard, Caller } from '@callboard/core'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'

/** What the router needs of a `Callboard`. */
export type RouterCallboard = Pick<
  Callboard,
  'admissions' | 'catalog' | 'hooks' | 'integrations' | 'now' | 'renderEvent' | 'subscriptions' | 'telemetry'
>

/** Answers a caller who was admitted and holds the route's scope. */
export type Work = (caller: Caller, call: Call, params: Readonly<Record<string, string>>) => Reply | Promise<Reply>

/** How the caller was judged, and what is done for one who is let in. */
export interface Entry {
  readonly admission: Admission
  readonly work: Work
}

/** Judges the caller and prepares the work: one step, so that `/v1/events` needs one round trip to the store. */
export type Handler = (authorization: string | null, call: Call) => Promise<Entry>

/** The plain case: judge first, work later. */
export function afterAdmission({ admissions }: RouterCallboard, work: Work): Handler {
  return async (authorization) => ({ admission: await admissions.admit(authorization), work })
}
