import { sha256 } from '#crypto'
import { type OwnedRef, type Owner, readOwner, readRef } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import type { Issue } from '../issue.ts'
import type { Ordering, SubscriptionRecord } from '../ports/subscription-store.ts'
import { type RewrapOptions, type RewrapReport, rewrapSecrets } from '../secrets/rewrap-secrets.ts'
import { secretVersion } from '../secrets/secret-version.ts'
import { assertChoice } from '../validation.ts'
import { CHANGES, changeable, unknownSubscription } from './changeable.ts'
import { type RotateSecretOptions, rotateSecret } from './rotate-secret.ts'
import { type SubscriptionKeeping, type SubscriptionWithSecret, storeSubscription } from './store-subscription.ts'
import type { SubscriptionHealthReading } from './subscription-health.ts'
import {
  readSubscriptionChanges,
  readSubscriptionInput,
  type SubscriptionChanges,
  type SubscriptionInput,
} from './subscription-input.ts'
import { type SubscriptionRules, targetIssue } from './subscription-rules.ts'
import { ACTORS, type Actor, ENABLES_FROM, REPLACES } from './who-may-enable.ts'

/** Who changes a subscription. */
export interface By {
  /**
   * `platform` for the platform's operators and code. `account` for the account's own people: they may not change a subscription
   * that was created through the API, which is its integration's to change, nor enable what the platform disabled.
   */
  readonly by: Actor
}

/**
 * An account's subscriptions. Verbs throw `VALIDATION_FAILED` for what cannot be an account's id or a mode, and those that change a
 * subscription `NOT_FOUND`. Verbs with `by` throw `SUBSCRIPTION_MANAGED` when the account acts on one that was created through the API.
 * `skipToNow`, `setOrdering` and `rewrapSecrets` are for the platform.
 */
export interface Subscriptions extends SubscriptionHealthReading {
  /**
   * Creates a subscription for the account's people; one that an integration creates comes through the API. It receives what is
   * published from now on and counts against the account's limit. Throws `VALIDATION_FAILED` with one issue a field,
   * `SUBSCRIPTION_LIMIT_REACHED`, `ACCOUNT_UNKNOWN`.
   */
  create(owner: Owner, input: SubscriptionInput): Promise<SubscriptionWithSecret>
  /** Those not removed, newest first. */
  list(owner: Owner): Promise<SubscriptionRecord[]>
  /** Undefined when there is none, or it is removed. */
  find(ref: OwnedRef): Promise<SubscriptionRecord | undefined>
  /**
   * Changes one that the account's people created: other event types count for what is published from now on, and what waits goes to
   * the new target. Throws `SUBSCRIPTION_MANAGED` for one that was created through the API: only its integration changes it, by creating
   * it again. Throws `VALIDATION_FAILED` with one issue a field, also while too many changes of its event types wait.
   */
  change(ref: OwnedRef, changes: SubscriptionChanges): Promise<SubscriptionRecord>
  /** Removes it; a second time is no error. */
  remove(ref: OwnedRef, options: By): Promise<void>
  /** Stops deliveries; what waits ends as `disabled` and can be sent again by hand. */
  disable(ref: OwnedRef, options: By): Promise<void>
  /** Enables it: what is published from now on is delivered. Throws `DISABLED_BY_PLATFORM` to the account when the platform disabled it. */
  enable(ref: OwnedRef, options: By): Promise<void>
  /** Ends what waits as `skipped`, never as delivered, and goes on with what is new. Throws `SUBSCRIPTION_DISABLED`. */
  skipToNow(ref: OwnedRef): Promise<void>
  /**
   * `none`, the default: later events do not wait for a failed one. `subject`: an event waits until the earlier ones of its subject
   * were delivered or have ended. Changing to `none` sends what waited.
   */
  setOrdering(ref: OwnedRef, ordering: Ordering): Promise<void>
  /** Creates a new secret and returns it; the former signs beside it for a while. Throws `SECRET_ROTATED`. */
  rotateSecret(ref: OwnedRef, options: RotateSecretOptions & By): Promise<string>
  /** A name for the secret that a subscription has now; it says nothing of the secret. */
  secretVersion(subscription: Pick<SubscriptionRecord, 'secrets'>): Promise<string | undefined>
  /**
   * Seals the signing secrets of all accounts anew under the ring's current key, so that a former key can leave the ring once
   * `nextCursor` is null and `unopened` 0. Cursors that were issued under that key end with it. Deliveries, rotations and new
   * subscriptions go on meanwhile; run again, it finds nothing to do.
   */
  rewrapSecrets(options?: RewrapOptions): Promise<RewrapReport>
  /** Checks a target by the rules that need no DNS look-up, for a form that checks while somebody types. Undefined when it is fine. */
  checkTarget(targetUrl: unknown): Issue | undefined
}

export interface SubscriptionsOptions extends SubscriptionKeeping {
  readonly rules: SubscriptionRules
  readonly health: SubscriptionHealthReading
  readonly onError: (error: unknown) => void
}

const ORDERINGS: readonly Ordering[] = ['none', 'subject']

export function createSubscriptions({ rules, health, onError, ...keeping }: SubscriptionsOptions): Subscriptions {
  const { store, secretBox } = keeping

  /** Read before the write, without a lock: a subscription's source never changes. */
  const findChangeable = async (ref: OwnedRef, by: Actor): Promise<SubscriptionRecord> => {
    assertChoice('by', by, ACTORS)
    return changeable(await store.find(readRef(ref)), by)
  }

  return {
    ...health,
    async create(owner, input) {
      const { accountId, mode } = readOwner(owner)
      const { idempotencyKey, ...fields } = readSubscriptionInput(input)
      rules.check({ ...fields, idempotencyKey })
      const { targetUrl, eventTypes, integration, description, personalData } = fields
      const said = [idempotencyKey, targetUrl, eventTypes, integration, description ?? null, personalData]
      return storeSubscription(keeping, {
        ...fields,
        accountId,
        mode,
        source: 'dashboard',
        identity: idempotencyKey === undefined ? undefined : await sha256(JSON.stringify(said)),
        enablesFrom: [],
        externalRef: undefined,
        confirmedBy: undefined,
      })
    },
    async list(owner) {
      const { accountId, mode } = readOwner(owner)
      return store.list(accountId, mode)
    },
    find: async (ref) => store.find(readRef(ref)),
    async change(ref, input) {
      const changes = readSubscriptionChanges(input)
      const { eventTypes: knownTypes } = await findChangeable(ref, 'account')
      rules.check({ ...changes, knownTypes, description: changes.description ?? undefined })
      const changed = await store.change(readRef(ref), changes)
      if (changed === undefined) throw unknownSubscription()
      return changed
    },
    async remove(ref, { by }) {
      assertChoice('by', by, ACTORS)
      if ((await store.remove(readRef(ref), CHANGES[by])) !== 'unknown') return
      await findChangeable(ref, by)
      throw unknownSubscription()
    },
    async disable(ref, { by }) {
      await findChangeable(ref, by)
      if (!(await store.disable(readRef(ref), by, REPLACES[by]))) throw unknownSubscription()
    },
    async enable(ref, { by }) {
      await findChangeable(ref, by)
      const outcome = await store.enable(readRef(ref), ENABLES_FROM[by])
      if (outcome === 'unknown') throw unknownSubscription()
      if (outcome === 'refused')
        throw new CallboardError(
          'DISABLED_BY_PLATFORM',
          'The platform disabled the subscription: only it can enable it.',
        )
    },
    async skipToNow(ref) {
      const outcome = await store.skipToNow(readRef(ref))
      if (outcome === 'unknown') throw unknownSubscription()
      if (outcome === 'disabled')
        throw new CallboardError('SUBSCRIPTION_DISABLED', 'The subscription is disabled: what waited has ended.')
    },
    async setOrdering(ref, ordering) {
      assertChoice('ordering', ordering, ORDERINGS)
      if (!(await store.setOrdering(readRef(ref), ordering))) throw unknownSubscription()
    },
    async rotateSecret(ref, { by, ...options }) {
      return rotateSecret(keeping, () => findChangeable(ref, by), options)
    },
    secretVersion: async ({ secrets }) => secretVersion(secrets[0]),
    rewrapSecrets: async (options) => rewrapSecrets({ store, secretBox, onError }, options),
    checkTarget(targetUrl) {
      const target = rules.judgeTarget(targetUrl)
      return target.ok ? undefined : targetIssue(target.message)
    },
  }
}
