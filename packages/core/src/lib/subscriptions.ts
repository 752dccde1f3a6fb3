import { generateSecret } from '@callboard/signature'
import { assertAccountId } from './accounts.ts'
import { CallboardError } from './errors.ts'
import { createId, isId } from './id.ts'
import type { Mode } from './mode.ts'
import { assertOverlap, DEFAULT_OVERLAP_MS } from './overlap.ts'
import {
  createOwnSubscriptions,
  limitReached,
  type OwnSubscriptions,
  unknownSubscription,
} from './own-subscriptions.ts'
import type { Caller } from './ports/admission-store.ts'
import type { Ordering, SubscriptionRecord, SubscriptionRef, SubscriptionStore } from './ports/subscription-store.ts'
import { type RewrapOptions, type RewrapReport, rewrapSecrets } from './rewrap-secrets.ts'
import type { SecretBox } from './secret-box.ts'
import type { SubscriptionHealthReading } from './subscription-health.ts'
import { subscriptionIdentity } from './subscription-identity.ts'
import { createSubscriptionParser } from './subscription-input.ts'
import type { SubscriptionRules } from './subscription-rules.ts'

/** A subscription with its signing secret, for the caller who makes or confirms it. */
export interface SubscriptionWithSecret extends SubscriptionRecord {
  readonly created: boolean
  readonly secret: string
}

const ORDERINGS: readonly Ordering[] = ['none', 'subject']

export interface Subscriptions extends SubscriptionHealthReading {
  /** What an account's own people make and change outside the API. */
  readonly own: OwnSubscriptions
  /**
   * Makes a subscription for the holder of a key, or finds the same one (contract, 4.4). Throws `VALIDATION_FAILED` with one
   * issue a field, `SUBSCRIPTION_LIMIT_REACHED`.
   */
  create(caller: Caller, input: unknown): Promise<SubscriptionWithSecret>
  /** Removes one that was made through the API (contract, 4.5); a second time is no error. Throws `NOT_FOUND`. */
  remove(caller: Caller, subscriptionId: string): Promise<void>
  /** Those not removed, newest first. */
  list(account: string, mode: Mode): Promise<SubscriptionRecord[]>
  find(ref: SubscriptionRef): Promise<SubscriptionRecord | undefined>
  /** Stops deliveries by hand; a caller of the API cannot switch it on again. Throws `NOT_FOUND`. */
  disable(ref: SubscriptionRef): Promise<void>
  /** Switches it on, from what is new. Throws `NOT_FOUND`. */
  enable(ref: SubscriptionRef): Promise<void>
  /** Ends what waits as `skipped`, never as delivered, and goes on with what is new. Throws `NOT_FOUND`, `SUBSCRIPTION_DISABLED`. */
  skipToNow(ref: SubscriptionRef): Promise<void>
  /**
   * `subject`: an event waits until the earlier ones of its subject were delivered or have ended, other subjects flow on. `none`, as
   * every subscription starts: what fails is overtaken, and what waits for it goes out now. Throws `NOT_FOUND`, `VALIDATION_FAILED`.
   */
  setOrdering(ref: SubscriptionRef, ordering: Ordering): Promise<void>
  /**
   * Makes a new secret; the former signs beside it for `overlapMs`, 24 h by default. Returns the new one. Throws `NOT_FOUND`.
   */
  rotateSecret(ref: SubscriptionRef, options?: { readonly overlapMs?: number | undefined }): Promise<string>
  /**
   * Seals the signing secrets of all accounts anew under the ring's current key, so that a former key can leave the ring once
   * `next` is undefined and `unopened` 0 (cursors handed out under that key end with it). Deliveries, rotations and new
   * subscriptions go on meanwhile; run again, it finds nothing to do.
   */
  rewrapSecrets(options?: RewrapOptions): Promise<RewrapReport>
}

export interface SubscriptionsOptions {
  readonly store: SubscriptionStore
  readonly rules: SubscriptionRules
  readonly health: SubscriptionHealthReading
  readonly secretBox: SecretBox
  readonly apiVersion: string
  /** Subscriptions of an account and mode at most. */
  readonly limit: number
  readonly onError: (error: unknown) => void
}

export function createSubscriptions({ onError, ...options }: SubscriptionsOptions): Subscriptions {
  const { store, health, rules, secretBox, apiVersion, limit } = options
  const parse = createSubscriptionParser(rules)
  return {
    ...health,
    own: createOwnSubscriptions(options),
    async create(caller, input) {
      const { targetUrl, normalizedUrl, eventTypes, integration, externalRef } = parse(input)
      const id = createId('sub')
      const secret = generateSecret()
      const result = await store.create(
        {
          id,
          accountId: caller.account.id,
          mode: caller.mode,
          source: 'api',
          identity: await subscriptionIdentity({ integration, normalizedUrl, eventTypes, externalRef }),
          targetUrl,
          eventTypes,
          integration,
          externalRef,
          apiVersion,
          sealedSecret: await secretBox.seal(id, secret),
          confirmedBy: caller.keyId,
          personalData: undefined,
        },
        limit,
      )
      if (result.outcome === 'limit_reached') throw limitReached(limit)
      const { subscription, outcome } = result
      if (outcome === 'created') return { ...subscription, created: true, secret }
      const [current] = subscription.secrets
      if (current === undefined) throw new Error(`subscription ${subscription.id} has no secret`)
      return { ...subscription, created: false, secret: await secretBox.open(subscription.id, current.sealed) }
    },
    async remove(caller, subscriptionId) {
      const ref = { accountId: caller.account.id, mode: caller.mode, id: subscriptionId }
      if (!isId('sub', subscriptionId) || (await store.remove(ref, 'api')) === 'unknown') throw unknownSubscription()
    },
    async list(account, mode) {
      assertAccountId('account', account)
      return store.list(account, mode)
    },
    async find(ref) {
      assertAccountId('accountId', ref.accountId)
      return store.find(ref)
    },
    async disable(ref) {
      assertAccountId('accountId', ref.accountId)
      if (!(await store.disable(ref, 'manual'))) throw unknownSubscription()
    },
    async enable(ref) {
      assertAccountId('accountId', ref.accountId)
      if (!(await store.enable(ref))) throw unknownSubscription()
    },
    async skipToNow(ref) {
      assertAccountId('accountId', ref.accountId)
      const outcome = await store.skipToNow(ref)
      if (outcome === 'unknown') throw unknownSubscription()
      if (outcome === 'disabled')
        throw new CallboardError('SUBSCRIPTION_DISABLED', 'The subscription is disabled: what waited has ended.')
    },
    async setOrdering(ref, ordering) {
      assertAccountId('accountId', ref.accountId)
      if (!ORDERINGS.includes(ordering)) {
        const message = `ordering must be one of ${ORDERINGS.join(', ')}.`
        throw new CallboardError('VALIDATION_FAILED', message, { issues: [{ path: 'ordering', message }] })
      }
      if (!(await store.setOrdering(ref, ordering))) throw unknownSubscription()
    },
    async rotateSecret(ref, { overlapMs = DEFAULT_OVERLAP_MS } = {}) {
      assertAccountId('accountId', ref.accountId)
      assertOverlap(overlapMs)
      const secret = generateSecret()
      if (!(await store.rotateSecret(ref, await secretBox.seal(ref.id, secret), overlapMs))) throw unknownSubscription()
      return secret
    },
    async rewrapSecrets(options) {
      return rewrapSecrets({ store, secretBox, onError }, options)
    },
  }
}
