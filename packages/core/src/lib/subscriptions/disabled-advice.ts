import type { DisabledReason } from './who-may-enable.ts'

/** Why a subscription is disabled, and what its integration can do about it. */
export interface DisabledAdvice {
  /** Why, in one sentence of at most 200 characters. */
  readonly message: string
  /** What to do, in one sentence of at most 200 characters. */
  readonly remedy: string
}

/** The advice that the API gives for a disabled subscription. The dashboard has its own texts, for people. */
export const DISABLED_ADVICE: Readonly<Record<DisabledReason, DisabledAdvice>> = {
  gone: {
    message: 'The target answered 410 Gone, which asks for no more deliveries.',
    remedy: 'If the target exists again, send the request that created the subscription again.',
  },
  failing: {
    message: 'Every attempt failed for days, so the platform stopped sending.',
    remedy: 'Repair the target, then send the request that created the subscription again.',
  },
  key: {
    message: 'The API key that last confirmed this subscription is revoked or has expired.',
    remedy: 'Send the request that created the subscription again, with a valid key.',
  },
  account: {
    message: 'The account disabled this subscription.',
    remedy: 'To enable it, change its `state` to `active`.',
  },
  platform: {
    message: 'The platform disabled this subscription.',
    remedy: 'Only the platform can enable it, so ask its support.',
  },
}
