import type { Admission, Engine } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'

/** Answers a caller who was admitted and has the route's scope. */
export type Work = (caller: Caller, call: Call, params: Readonly<Record<string, string>>) => Reply | Promise<Reply>

/** The verdict on the caller, and the work to do if the caller is admitted. */
export interface Entry {
  readonly admission: Admission
  readonly work: Work
}

/** Checks the caller and prepares the work, in one step so that `/v1/events` needs one round trip to the store. */
export type Handler = (authorization: string | null, call: Call) => Promise<Entry>

/** Creates a handler that checks the caller first and works afterwards. */
export function afterAdmission({ admissions }: Pick<Engine, 'admissions'>, work: Work): Handler {
  return async (authorization) => ({ admission: await admissions.admit(authorization), work })
}
