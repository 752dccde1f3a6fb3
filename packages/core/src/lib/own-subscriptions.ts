import { generateSecret } from '@callboard/signature'
import * as z from 'zod'
import { sha256 } from '#crypto'
import { assertAccountId } from './accounts.ts'
import { CallboardError, type Issue } from './errors.ts'
import { createId } from './id.ts'
import { MODES, type Mode } from './mode.ts'
import { assertOverlap, DEFAULT_OVERLAP_MS } from './overlap.ts'
import type { SubscriptionRecord, SubscriptionRef, SubscriptionStore } from './ports/subscription-store.ts'
import type { SecretBox } from './secret-box.ts'
import { secretVersion } from './secret-version.ts'
import { readKinds, type SubscriptionRules, says } from './subscription-rules.ts'

/** Whose subscription is to be made. */
export interface SubscriptionOwner {
  readonly account: string
  /** `live` by default. */
  readonly mode?: Mode | undefined
}

export interface OwnSubscriptionInput {
  /** By the same rules as in the API; so are `eventTypes`. */
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  /** Whether events are sent with their personal data; false by default. */
  readonly personalData?: boolean | undefined
  /** What the account's people call it, 1–255 characters; null and none are the same. */
  readonly description?: string | null | undefined
  /** What receives the events, one of the platform's integrations; `other` by default. */
  readonly integration?: string | undefined
  /**
   * The same input under the same key makes one subscription, which is given once more with its secret: for a form that is posted
   * twice, or an answer that was lost. 1–255 characters that nobody guesses; none by default.
   */
  readonly idempotencyKey?: string | undefined
}

/** What is left out stays. */
export interface OwnSubscriptionChanges {
  readonly targetUrl?: string | undefined
  readonly eventTypes?: readonly string[] | undefined
  readonly personalData?: boolean | undefined
  /** Null: none any more. */
  readonly description?: string | null | undefined
}

/** A subscription and its signing secret, which is shown this once. */
export interface MadeSubscription extends SubscriptionRecord {
  readonly secret: string
}

export interface RotateSecretOptions {
  /** How long the former secret signs beside the new one, in milliseconds; 24 h by default. */
  readonly overlapMs?: number | undefined
  /**
   * Which secret is to be rotated, as `secretVersion` names it; whichever it is by default. The same rotation asked for once more,
   * while that secret still signs, gives the same new one; of any other secret it throws `SECRET_ROTATED`.
   */
  readonly version?: string | undefined
}

/**
 * What an account's own people do with subscriptions, outside the API: in the dashboard, or in the platform's own pages. All but `make`
 * throw `NOT_FOUND`, and `SUBSCRIPTION_MANAGED` for one that was made through the API: that is its integration's to change.
 */
export interface OwnSubscriptions {
  /**
   * Makes a subscription, the same as another only by its `idempotencyKey`; it counts against the same limit as those of the API. It
   * gets what is published from now on. Throws `VALIDATION_FAILED` with one issue a field, `SUBSCRIPTION_LIMIT_REACHED`, `ACCOUNT_UNKNOWN`.
   */
  make(owner: SubscriptionOwner, input: OwnSubscriptionInput): Promise<MadeSubscription>
  /**
   * Changes one. Other event types count for what happens from now on: what waits of a former one is still sent. To another target goes
   * all that waits, retries at once. A disabled one stays disabled until `enable`. Throws `VALIDATION_FAILED`.
   */
  change(ref: SubscriptionRef, changes: OwnSubscriptionChanges): Promise<SubscriptionRecord>
  /** One of these, for the page on which it is changed. */
  find(ref: SubscriptionRef): Promise<SubscriptionRecord>
  /** Removes one for good: deliveries to it stop. A second time is no error. */
  remove(ref: SubscriptionRef): Promise<void>
  /** Stops deliveries; what waits ends as `disabled` and can be sent again by hand. */
  disable(ref: SubscriptionRef): Promise<void>
  /** Switches it on, from what is new. */
  enable(ref: SubscriptionRef): Promise<void>
  /** Makes a new secret and returns it; the former signs beside it for a while. Throws `SECRET_ROTATED`. */
  rotateSecret(ref: SubscriptionRef, options?: RotateSecretOptions): Promise<string>
  /** Names the secret that a subscription has now, without telling anything of it. */
  secretVersion(subscription: Pick<SubscriptionRecord, 'secrets'>): Promise<string | undefined>
  /** What is wrong with a target, by the rules that need no look-up, for a form that tells while somebody types; undefined: nothing. */
  checkTarget(targetUrl: unknown): Issue | undefined
}

export interface OwnSubscriptionsOptions {
  readonly store: SubscriptionStore
  readonly rules: SubscriptionRules
  readonly secretBox: SecretBox
  readonly apiVersion: string
  /** Subscriptions of an account and mode at most. */
  readonly limit: number
}

const fields = {
  targetUrl: z.string(says('targetUrl', 'a string')),
  eventTypes: z.array(z.string(says('eventTypes', 'an array of strings')), says('eventTypes', 'an array of strings')),
  personalData: z.boolean(says('personalData', 'true or false')).optional(),
  description: z.string(says('description', 'a string')).nullish(),
}
const ownInput = z.object({
  ...fields,
  integration: z.string(says('integration', 'a string')).optional(),
  idempotencyKey: z.string(says('idempotencyKey', 'a string')).optional(),
})
const ownChanges = z.object({
  ...fields,
  targetUrl: fields.targetUrl.optional(),
  eventTypes: fields.eventTypes.optional(),
})

export function createOwnSubscriptions({
  store,
  rules,
  secretBox,
  apiVersion,
  limit,
}: OwnSubscriptionsOptions): OwnSubscriptions {
  /** Who made it never changes, so what is found here is so when it is changed. */
  const own = async (ref: SubscriptionRef): Promise<SubscriptionRecord> => {
    assertAccountId('accountId', ref.accountId)
    const found = await store.find(ref)
    if (found === undefined) throw unknownSubscription()
    if (found.source !== 'dashboard') throw managed()
    return found
  }
  const open = async ({ id, secrets: [current] }: SubscriptionRecord): Promise<string> => {
    if (current === undefined) throw new Error(`subscription ${id} has no secret`)
    return secretBox.open(id, current.sealed)
  }
  return {
    async make({ account, mode = 'live' }, input) {
      assertAccountId('account', account)
      assertMode(mode)
      const { targetUrl, eventTypes: named, ...read } = readKinds(ownInput, input)
      const { integration = 'other', personalData = false, idempotencyKey } = read
      const description = read.description ?? undefined
      const eventTypes = [...new Set(named)]
      rules.check({ targetUrl, eventTypes, integration, description, idempotencyKey })
      const said = [idempotencyKey, targetUrl, eventTypes, integration, description ?? null, personalData]
      const id = createId('sub')
      const secret = generateSecret()
      const result = await store.create(
        {
          id,
          accountId: account,
          mode,
          source: 'dashboard',
          identity: idempotencyKey === undefined ? undefined : await sha256(JSON.stringify(said)),
          targetUrl,
          eventTypes,
          integration,
          externalRef: undefined,
          description,
          apiVersion,
          sealedSecret: await secretBox.seal(id, secret),
          confirmedBy: undefined,
          personalData,
        },
        limit,
      )
      if (result.outcome === 'limit_reached') throw limitReached(limit)
      const { subscription, outcome } = result
      return { ...subscription, secret: outcome === 'created' ? secret : await open(subscription) }
    },
    async change(ref, changes) {
      const { eventTypes: named, ...read } = readKinds(ownChanges, changes)
      const { eventTypes: knownTypes } = await own(ref)
      const eventTypes = named && [...new Set(named)]
      const { targetUrl, personalData, description } = read
      rules.check({ targetUrl, eventTypes, knownTypes, description: description ?? undefined })
      const changed = await store.change(ref, { targetUrl, eventTypes, personalData, description })
      if (changed === undefined) throw unknownSubscription()
      return changed
    },
    find: own,
    async remove(ref) {
      assertAccountId('accountId', ref.accountId)
      const outcome = await store.remove(ref, 'dashboard')
      if (outcome !== 'unknown') return
      await own(ref)
      throw unknownSubscription()
    },
    async disable(ref) {
      await own(ref)
      if (!(await store.disable(ref, 'manual'))) throw unknownSubscription()
    },
    async enable(ref) {
      await own(ref)
      if (!(await store.enable(ref))) throw unknownSubscription()
    },
    async rotateSecret(ref, { overlapMs = DEFAULT_OVERLAP_MS, version } = {}) {
      assertOverlap(overlapMs)
      const found = await own(ref)
      const meant = version === undefined || version === (await secretVersion(found.secrets[0]))
      const from = version === undefined ? undefined : found.secrets[0]?.sealed
      const secret = generateSecret()
      if (meant && (await store.rotateSecret(ref, await secretBox.seal(ref.id, secret), overlapMs, from))) return secret
      const now = await own(ref)
      if (version === undefined || version !== (await secretVersion(now.secrets[1]))) throw rotatedAlready()
      return open(now)
    },
    async secretVersion({ secrets }) {
      return secretVersion(secrets[0])
    },
    checkTarget(targetUrl) {
      const target = rules.judgeTarget(targetUrl)
      return target.ok ? undefined : { path: 'targetUrl', message: target.message }
    },
  }
}

export function unknownSubscription(): CallboardError {
  return new CallboardError('NOT_FOUND', 'There is no such subscription.')
}

export function limitReached(limit: number): CallboardError {
  return new CallboardError(
    'SUBSCRIPTION_LIMIT_REACHED',
    `The account has ${limit} subscriptions, as many as it may. Remove one first.`,
  )
}

function rotatedAlready(): CallboardError {
  return new CallboardError('SECRET_ROTATED', 'The secret has been rotated meanwhile. Look at the subscription again.')
}

function managed(): CallboardError {
  return new CallboardError(
    'SUBSCRIPTION_MANAGED',
    'The subscription was made through the API: change it in the integration that manages it.',
  )
}

function assertMode(mode: Mode): void {
  if (MODES.includes(mode)) return
  const message = 'mode must be live or test.'
  throw new CallboardError('VALIDATION_FAILED', message, { issues: [{ path: 'mode', message }] })
}
