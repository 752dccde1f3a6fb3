import { sha256 } from '#crypto'
import { type OwnedRef, type Owner, readOwner, readRef } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import { isValidKey } from '../keys/is-valid-key.ts'
import type { KeyStore } from '../ports/key-store.ts'
import { ORDERINGS, type Ordering, type SubscriptionRecord } from '../ports/subscription-record.ts'
import type { BackfillRecord, SubscriptionChanges } from '../ports/subscription-store.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { type RewrapOptions, type RewrapReport, rewrapSecrets } from '../secrets/rewrap-secrets.ts'
import { secretVersion } from '../secrets/secret-version.ts'
import { explainTargetRule } from '../targets/explain-target-rule.ts'
import type { TargetRule } from '../targets/target-url.ts'
import type { Issue } from '../validation/issue.ts'
import { assertChoice, validationFailed } from '../validation/validation.ts'
import { type BackfillOptions, cancelBackfill, startBackfill } from './backfills.ts'
import { changed, changeSubscription } from './change-subscription.ts'
import { CHANGES, changeable, disabledByPlatform } from './changeable.ts'
import type { ImportItem } from './import-input.ts'
import { type ImportOptions, type ImportResult, importSubscriptions } from './import-subscriptions.ts'
import { reviseSubscription } from './revise-subscription.ts'
import { type RotateSecretOptions, rotateSecret } from './rotate-secret.ts'
import {
  parseSignatures,
  type SignatureFormat,
  STANDARD_SIGNATURES,
  secretIssue,
  takesAnySecret,
} from './signature-formats.ts'
import {
  openSecret,
  type SubscriptionKeeping,
  type SubscriptionWithSecret,
  storeSubscription,
} from './store-subscription.ts'
import type { SubscriptionHealthReading } from './subscription-health.ts'
import { readSubscriptionChanges, readSubscriptionInput, type SubscriptionInput } from './subscription-input.ts'
import { type SubscriptionRules, targetIssue } from './subscription-rules.ts'
import type { TroubleReading } from './trouble.ts'
import { ACTORS, type Actor, ENABLES_FROM, REPLACES } from './who-may-enable.ts'

/** Says who changes a subscription. */
export interface By {
  /**
   * `platform` for the platform's operators and code, `account` for the account's own people. The account can neither
   * change a subscription created through the API nor enable one that the platform disabled.
   */
  readonly by: Actor
}

export interface EnableOptions extends By {
  /**
   * For a subscription created through the API: the id of the key whose validity and scopes apply from now on. By
   * default, the subscription keeps its key (`confirmedBy`). Throws `VALIDATION_FAILED` if the key is not valid,
   * because the subscription would be disabled again at its next delivery.
   */
  readonly keyId?: string | undefined
}

/**
 * An account's subscriptions. Every method throws `VALIDATION_FAILED` for an invalid account id or mode. Methods that
 * change a subscription throw `NOT_FOUND`. Methods with `by` throw `SUBSCRIPTION_MANAGED` when the account acts on a
 * subscription created through the API. Only the platform should call `skipToNow`, `setOrdering` and `rewrapSecrets`.
 */
export interface Subscriptions extends SubscriptionHealthReading, TroubleReading {
  /**
   * Creates a subscription for the account's people; integrations create subscriptions through the API instead. The
   * subscription receives events published from now on.
   *
   * Throws `VALIDATION_FAILED` with one issue per field, `SUBSCRIPTION_LIMIT_REACHED`, `ACCOUNT_UNKNOWN`, and
   * `RATE_LIMITED` when the account has created too many subscriptions within a minute.
   */
  create(input: Owner & SubscriptionInput): Promise<SubscriptionWithSecret>
  /**
   * Imports subscriptions that customers have in another system, with their ids, secrets and times. Returns one result
   * for each item, in the same order. Bad items never fail the others: their results say why they were refused. Throws
   * `VALIDATION_FAILED` for more than 500 items.
   *
   * The call can be repeated: items that an earlier call has imported are `existing`, even if the subscription has
   * changed since. An item is refused, and nothing overwritten, if its id was imported with other values or belongs to
   * another subscription, or if the subscription has been removed. Once retention has deleted a removed one, after 30
   * days by default (`retention.subscriptionsMs`), importing the item brings it back. Limits per minute do not apply, but `maxSubscriptions` does.
   *
   * Imported subscriptions count as created through the API, so integrations manage them there, and the dashboard shows
   * them read-only. They receive events published from the import on; `startBackfill` sends earlier ones. Until a key
   * confirms a subscription, by creating it again or changing it, `personalData` of the item decides what is sent, and
   * no key has to be valid. From then on, the key's validity and scopes decide.
   */
  import(items: readonly ImportItem[], options: ImportOptions): Promise<ImportResult[]>
  /** Lists the subscriptions that are not removed, newest first. */
  list(owner: Owner): Promise<SubscriptionRecord[]>
  /** Finds one subscription; undefined when it does not exist or is removed. */
  find(ref: OwnedRef): Promise<SubscriptionRecord | undefined>
  /**
   * Changes a subscription that the account's people created. New event types apply to events published from now on.
   * All pending deliveries go to the new target.
   *
   * Throws `SUBSCRIPTION_MANAGED` for a subscription created through the API, and `VALIDATION_FAILED` with one issue
   * per invalid field. Throws `CHANGE_PENDING`, and changes nothing, when the event types change while deliveries from
   * before their last change are pending: wait until these are sent, or call `skipToNow`. A disabled subscription can
   * always be changed.
   */
  change(input: OwnedRef & SubscriptionChanges): Promise<SubscriptionRecord>
  /** Removes a subscription. Removing it a second time is not an error. */
  remove(subscription: OwnedRef & By): Promise<void>
  /**
   * Disables a subscription. Its pending deliveries end as `disabled` and can be resent by hand once the subscription
   * is enabled.
   */
  disable(subscription: OwnedRef & By): Promise<void>
  /**
   * Enables a subscription, which then receives events published from now on. A request that is in flight from before
   * the subscription was disabled finishes first: its outcome is recorded before later events are sent.
   *
   * Throws `DISABLED_BY_PLATFORM` when the account enables a subscription that the platform disabled, and
   * `VALIDATION_FAILED` as described at {@link EnableOptions.keyId}.
   */
  enable(subscription: OwnedRef & EnableOptions): Promise<void>
  /** Ends all pending deliveries as `skipped`; later events are delivered. Throws `SUBSCRIPTION_DISABLED`. */
  skipToNow(ref: OwnedRef): Promise<void>
  /**
   * Sets the order of deliveries. With `none`, the default, later events do not wait for an event that has to be
   * retried. With `subject`, an event waits until the deliveries of all earlier events of its subject have ended,
   * successfully or not. Changing to `none` sends the waiting events now.
   */
  setOrdering(input: OwnedRef & { readonly ordering: Ordering }): Promise<void>
  /**
   * Sends events from before the subscription was created, last enabled or skipped to now: those of its types that were
   * published at `since` or later, oldest first, beside new events. Leaves out events that were delivered or are
   * retrying. An earlier `since` extends a backfill, a later one changes nothing. Returns the backfill. Throws
   * `NOT_FOUND`, `SUBSCRIPTION_DISABLED`, and `VALIDATION_FAILED` for an invalid `since`, or one in the future.
   */
  startBackfill(input: OwnedRef & BackfillOptions): Promise<BackfillRecord>
  /** Reads the last backfill of a subscription; undefined if it never had one. */
  findBackfill(ref: OwnedRef): Promise<BackfillRecord | undefined>
  /**
   * Ends a backfill: what is in flight finishes and is retried as usual, and no further event of it is sent. Changes
   * nothing if it has ended. Returns the backfill. Throws `NOT_FOUND`, also if the subscription never had one.
   */
  cancelBackfill(ref: OwnedRef): Promise<BackfillRecord>
  /**
   * Pins a subscription to a format version of the catalogue. All deliveries from now on have that version, even
   * retries. Throws `VALIDATION_FAILED` for an unknown version, and for one that does not have one of the
   * subscription's event types yet.
   */
  setApiVersion(input: OwnedRef & By & { readonly apiVersion: string }): Promise<SubscriptionRecord>
  /**
   * Changes how a subscription's deliveries are signed, from the next attempt on; only for the platform. Throws
   * `NOT_FOUND`, and `VALIDATION_FAILED` for invalid formats, and for `standard` or `svix` if the current secret can
   * sign only as `hmac`: rotate the secret first.
   */
  setSignatures(input: OwnedRef & { readonly signatures: readonly SignatureFormat[] }): Promise<SubscriptionRecord>
  /**
   * Creates and returns a new secret; the old secret keeps signing during the overlap. Throws `SECRET_ROTATED`, as
   * described at {@link RotateSecretOptions.version}.
   */
  rotateSecret(input: OwnedRef & By & RotateSecretOptions): Promise<string>
  /** Returns the version of a subscription's current secret, which reveals nothing about the secret itself. */
  secretVersion(subscription: Pick<SubscriptionRecord, 'secrets'>): Promise<string | undefined>
  /**
   * Seals the signing secrets of all accounts under the ring's current key. Once `nextCursor` is null, you can remove
   * old keys from the ring if `unopened` was 0 in every call. Cursors that were signed with a removed key then stop
   * working.
   *
   * Deliveries, rotations and new subscriptions continue during the call. Repeating it is safe.
   */
  rewrapSecrets(options?: RewrapOptions): Promise<RewrapReport>
  /**
   * Checks a target by the rules that need no DNS lookup, for example while somebody types. Returns undefined when the
   * target is valid. Show the account only `message`; `rule` and the `explanation` of it are for the platform's own
   * developers.
   */
  checkTarget(target: { readonly targetUrl: unknown }): TargetIssue | undefined
}

/** Why a target is refused. Only the message is for the account. */
export interface TargetIssue extends Issue {
  readonly rule: TargetRule
  /** A sentence that says which rule it is, and which field of `targets` allows the target. */
  readonly explanation: string
}

export interface SubscriptionsOptions extends SubscriptionKeeping {
  readonly rules: SubscriptionRules
  readonly health: SubscriptionHealthReading & TroubleReading
  readonly onError: (error: unknown) => void
  readonly keys: Pick<KeyStore, 'find'>
  readonly keyRing: KeyRing
  readonly testHeader: string
  readonly now: () => number
}

export function createSubscriptions({
  rules,
  health,
  onError,
  keys,
  keyRing,
  testHeader,
  now,
  ...keeping
}: SubscriptionsOptions): Subscriptions {
  const { store, recorder, secretBox, formats } = keeping
  const backfills = { store, recorder, now }

  /** No lock is needed between this check and the write, because a subscription's source never changes. */
  const findChangeable = async (ref: OwnedRef & By): Promise<SubscriptionRecord> => {
    assertChoice('by', ref.by, ACTORS)
    return changeable(await store.find(readRef(ref)), ref.by)
  }

  const assertKeyStands = async (
    { source, accountId, mode, confirmedBy }: SubscriptionRecord,
    keyId: string | undefined,
  ): Promise<void> => {
    if (source === 'dashboard') {
      if (keyId !== undefined)
        throw keyIssue('CONFLICT', 'The subscription was not created through the API: it needs no key.')
      return
    }
    const asked = keyId ?? confirmedBy
    if (asked === undefined) return
    const key = await keys.find(accountId, asked)
    if (key?.mode === mode && isValidKey(key, now())) return
    throw keyId === undefined
      ? keyIssue(
          'REQUIRED',
          `The subscription’s key ${asked} is revoked or has expired. Enable the subscription with another key of the account.`,
        )
      : keyIssue('UNKNOWN', `The account has no valid ${mode} key ${keyId}.`)
  }

  return {
    ...health,
    async create(input) {
      const { accountId, mode } = readOwner(input)
      const { idempotencyKey, apiVersion: asked, ...fields } = readSubscriptionInput(input)
      const apiVersion = asked ?? formats.current
      rules.check({ ...fields, accountId, pinned: apiVersion, apiVersion, idempotencyKey })
      const { targetUrl, eventTypes, integration, description, personalData } = fields
      const said = [
        idempotencyKey,
        targetUrl,
        eventTypes,
        integration,
        description ?? null,
        personalData,
        asked ?? null,
      ]
      return storeSubscription(keeping, {
        ...fields,
        apiVersion,
        accountId,
        mode,
        source: 'dashboard',
        identity: idempotencyKey === undefined ? undefined : await sha256(JSON.stringify(said)),
        enablesFrom: [],
        externalRef: undefined,
        confirmedBy: undefined,
      })
    },
    async import(items, { by, ...options }) {
      assertChoice('by', by, ['platform'])
      return importSubscriptions({ ...keeping, rules, keyRing, testHeader, now }, items, options)
    },
    async list(owner) {
      const { accountId, mode } = readOwner(owner)
      return store.list(accountId, mode)
    },
    find: async (ref) => store.find(readRef(ref)),
    async change(input) {
      const changes = readSubscriptionChanges(input)
      return reviseSubscription({ ...keeping, rules }, () => findChangeable({ ...input, by: 'account' }), changes)
    },
    async remove(ref) {
      const { by } = ref
      assertChoice('by', by, ACTORS)
      const removed = await changeSubscription(keeping, readRef(ref), { act: 'remove', sources: CHANGES[by] })
      if (removed.outcome === 'unknown') await findChangeable(ref)
      changed(removed)
    },
    async disable(ref) {
      await findChangeable(ref)
      const { by } = ref
      const act = { act: 'disable', reason: by, replaces: REPLACES[by] } as const
      changed(await changeSubscription(keeping, readRef(ref), act))
    },
    async enable(ref) {
      const { by, keyId: confirmedBy } = ref
      await assertKeyStands(await findChangeable(ref), confirmedBy)
      const act = { act: 'enable', from: ENABLES_FROM[by], confirmedBy } as const
      if (changed(await changeSubscription(keeping, readRef(ref), act)) === undefined) throw disabledByPlatform()
    },
    async skipToNow(ref) {
      if (changed(await changeSubscription(keeping, readRef(ref), { act: 'skip_to_now' })) === undefined)
        throw new CallboardError(
          'SUBSCRIPTION_DISABLED',
          'The subscription is disabled, so its pending deliveries have already ended.',
        )
    },
    async setOrdering({ ordering, ...ref }) {
      assertChoice('ordering', ordering, ORDERINGS)
      changed(await changeSubscription(keeping, readRef(ref), { act: 'set_ordering', ordering }))
    },
    startBackfill: async (input) => startBackfill(backfills, readRef(input), input),
    findBackfill: async (ref) => store.findBackfill(readRef(ref)),
    cancelBackfill: async (ref) => cancelBackfill(backfills, readRef(ref)),
    async setApiVersion({ apiVersion, ...ref }) {
      return reviseSubscription({ ...keeping, rules }, () => findChangeable(ref), { apiVersion })
    },
    async setSignatures({ signatures: asked, ...ref }) {
      const parsed = parseSignatures('signatures', asked, testHeader)
      if (!parsed.ok) throw validationFailed(parsed.issues)
      const { signatures } = parsed
      // A rotation between this check and the change does no harm, because every new secret can sign in every format.
      const find = async (): Promise<SubscriptionRecord> => {
        const found = await findChangeable({ ...ref, by: 'platform' })
        if (!takesAnySecret(signatures)) assertSignsAll(await openSecret(secretBox, found))
        return found
      }
      return reviseSubscription({ ...keeping, rules }, find, { signatures })
    },
    async rotateSecret({ overlapMs, version, ...ref }) {
      return (await rotateSecret(keeping, () => findChangeable(ref), { overlapMs, version })).secret
    },
    secretVersion: async ({ secrets }) => secretVersion(secrets[0]),
    async rewrapSecrets(options) {
      const report = await rewrapSecrets({ store, secretBox, onError }, options)
      if (report.rewrapped > 0)
        await recorder.record({ action: 'secrets.rewrapped', details: { secrets: report.rewrapped } })
      return report
    },
    checkTarget({ targetUrl }) {
      const target = rules.judgeTarget(targetUrl)
      if (target.ok) return undefined
      return { ...targetIssue(target.message), rule: target.rule, explanation: explainTargetRule(target.rule) }
    },
  }
}

function assertSignsAll(secret: string): void {
  if (secretIssue('secret', secret, STANDARD_SIGNATURES) === undefined) return
  const message = 'The secret is no whsec_ secret, so every signature must be an hmac. Rotate the secret first.'
  throw validationFailed({ path: 'signatures', code: 'CONFLICT', message })
}

function keyIssue(code: Issue['code'], message: string): CallboardError {
  return validationFailed({ path: 'keyId', code, message })
}
