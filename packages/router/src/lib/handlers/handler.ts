import type { Admission, Engine } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'

/** Handles the request of a caller who was admitted and has the route's scope. */
export type Work = (caller: Caller, call: Call, params: Readonly<Record<string, string>>) => Reply | Promise<Reply>

/** The outcome of checking the caller, and the work to do if the caller is admitted. */
export interface Entry {
  readonly admission: Admission
  readonly work: Work
}

/**
 * Checks the caller and prepares the work, both in one call, so that `/v1/events` can read the key and the events in
 * one round trip to the store.
 */
export type Handler = (authorization: string | null, call: Call) => Promise<Entry>

/** Creates a handler that prepares nothing: it checks the caller, and leaves everything else to `work`. */
export function afterAdmission({ admissions }: Pick<Engine, 'admissions'>, work: Work): Handler {
  return async (authorization) => ({ admission: await admissions.admit(authorization), work })
}
