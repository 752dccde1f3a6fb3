import { createId, isId } from '../id.ts'
import type { SealedSecret } from '../ports/subscription-record.ts'
import type { ImportedSubscription, ImportOutcome } from '../ports/subscription-store.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { DEFAULT_OVERLAP_MS } from '../secrets/overlap.ts'
import type { Issue } from '../validation/issue.ts'
import { validationFailed } from '../validation/validation.ts'
import { type ImportItem, type ImportRules, type ReadItem, readImportItem } from './import-input.ts'
import { limitReached, type SubscriptionKeeping } from './store-subscription.ts'
import { subscriptionIdentity } from './subscription-identity.ts'

/** The most items of one call. */
const IMPORT_LIMIT = 500

export type ImportResult =
  /**
   * - `imported`: the subscription is stored.
   * - `duplicate`: it is stored too, but another one of the account has the same integration, target, event types and
   *   `externalRef`: the one that `POST /v1/webhooks/subscriptions` finds.
   * - `existing`: an earlier import has stored it, with the same values. Nothing has changed.
   */
  | { readonly outcome: 'imported' | 'duplicate' | 'existing'; readonly id: string }
  /** Nothing was stored. The issues say why, and contain no secret. */
  | { readonly outcome: 'refused'; readonly issues: readonly Issue[] }

export interface ImportOptions {
  /** Only the platform imports subscriptions. */
  readonly by: 'platform'
  /** Returns what would happen, and stores nothing; false by default. */
  readonly dryRun?: boolean | undefined
}

export interface Importing extends ImportRules, SubscriptionKeeping {
  readonly keyRing: Pick<KeyRing, 'digests'>
}

/** Imports the items that are valid, in one call to the store. */
export async function importSubscriptions(
  importing: Importing,
  items: readonly ImportItem[],
  { dryRun = false }: Pick<ImportOptions, 'dryRun'>,
): Promise<ImportResult[]> {
  if (items.length > IMPORT_LIMIT)
    throw validationFailed({ path: 'items', code: 'COUNT', message: `Import at most ${IMPORT_LIMIT} items in a call.` })
  const read = await Promise.all(
    items.map(async (item) => {
      const found = readImportItem(item, importing)
      return 'accountId' in found ? prepare(importing, found) : refused(...found)
    }),
  )
  const first = new Map<string, ImportedSubscription>()
  for (const each of read) if ('laneId' in each && !first.has(keyOf(each))) first.set(keyOf(each), each)
  const sent = [...first.values()]
  const { total } = importing.limits
  const outcomes = sent.length === 0 ? [] : await importing.store.importSubscriptions(sent, { total, dryRun })
  const results = new Map(sent.map((each, index) => [each, resultOf(outcomes[index], total)]))
  return read.map((each) => {
    if (!('laneId' in each)) return each
    const same = first.get(keyOf(each))
    const result = same && results.get(same)
    if (same === undefined || result === undefined) throw new Error('the store returned no outcome for an item')
    if (same === each) return result
    if (same.digests[0] !== each.digests[0]) return refused(twice)
    return result.outcome === 'refused' ? result : { outcome: 'existing', id: result.id }
  })
}

/** Items with the same key are the same subscription. */
function keyOf({ named, id, digests }: ImportedSubscription): string {
  return named ? id : `${digests[0]}`
}

async function prepare(importing: Importing, item: ReadItem): Promise<ImportedSubscription> {
  const { rules, formats, now, keyRing, recorder, secretBox } = importing
  const { accountId, mode, createdAt = new Date(now()), apiVersion = formats.current, integration } = item
  const laneId =
    item.id !== undefined && isId('sub', item.id) ? item.id : createId('sub', { now: Math.max(0, createdAt.getTime()) })
  const id = item.id ?? laneId
  const sealed = await Promise.all(
    item.secrets.map(async ({ secret, expiresAt }, index): Promise<SealedSecret> => {
      const end = index === 0 ? undefined : (expiresAt ?? new Date(now() + DEFAULT_OVERLAP_MS))
      return { sealed: await secretBox.seal(id, secret), expiresAt: end }
    }),
  )
  const [current, former] = sealed
  if (current === undefined) throw new Error('an item has no secret')
  return {
    ...item,
    id,
    laneId,
    named: item.id !== undefined,
    digests: await keyRing.digests(whatIsSaid(item)),
    identity: await subscriptionIdentity(item, rules),
    apiVersion,
    secrets: former === undefined ? [current] : [current, former],
    createdAt,
    entry: recorder.entry({ action: 'subscription.imported', accountId, mode, objectId: id, details: { integration } }),
  }
}

/** The text to digest: every value of an item, without defaults that change. */
function whatIsSaid({ eventTypes, secrets, createdAt, ...item }: ReadItem): string {
  return JSON.stringify([
    item.accountId,
    item.mode,
    item.id ?? null,
    item.targetUrl,
    [...eventTypes].sort(),
    item.integration,
    item.externalRef ?? null,
    item.description ?? null,
    item.apiVersion ?? null,
    item.personalData,
    secrets.map(({ secret, expiresAt }) => [secret, expiresAt?.toISOString() ?? null]),
    item.signatures,
    createdAt?.toISOString() ?? null,
    item.disabledReason ?? null,
  ])
}

function resultOf(outcome: ImportOutcome | undefined, total: number): ImportResult | undefined {
  switch (outcome?.outcome) {
    case undefined:
      return undefined
    case 'account_unknown':
      return refused({ path: 'accountId', code: 'UNKNOWN', message: 'No account has this id. Create it first.' })
    case 'limit_reached':
      return refused({ path: 'accountId', code: 'COUNT', message: limitReached(total).message })
    case 'taken':
      return refused({ path: 'id', code: 'CONFLICT', message: 'Another subscription has this id.' })
    case 'changed':
      return refused({
        path: 'id',
        code: 'CONFLICT',
        message:
          'The subscription was imported before with other values. Remove it, then import this one under another id.',
      })
    case 'removed':
      return refused({
        path: 'id',
        code: 'CONFLICT',
        message: 'The subscription was imported before, and has been removed since. Import it under another id.',
      })
    default:
      return outcome
  }
}

const twice: Issue = { path: 'id', code: 'CONFLICT', message: 'Another item of this import has this id.' }

function refused(...issues: readonly Issue[]): ImportResult {
  return { outcome: 'refused', issues }
}
