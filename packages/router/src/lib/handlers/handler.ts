import type { Admission, Engine } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'

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
export function afterAdmission({ admissions }: Pick<Engine, 'admissions'>, work: Work): Handler {
  return async (authorization) => ({ admission: await admissions.admit(authorization), work })
}
