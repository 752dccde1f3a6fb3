import * as z from 'zod'
import { type Owner, readOwner } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import type { ImportedSubscription } from '../ports/subscription-store.ts'
import { explainTargetRule } from '../targets/explain-target-rule.ts'
import type { ParsedTargetUrl } from '../targets/target-url.ts'
import type { Issue } from '../validation/issue.ts'
import { choiceIssue, dateIssue, pastIssue } from '../validation/validation.ts'
import type { Formats } from '../versions/formats.ts'
import { parseSignatures, type SignatureFormat, STANDARD_SIGNATURES, secretIssue } from './signature-formats.ts'
import { isSubscriptionId, SUBSCRIPTION_ID_RULE } from './subscription-id.ts'
import { readKinds, type SubscriptionRules, says } from './subscription-rules.ts'
import { DISABLED_REASONS, type DisabledReason } from './who-may-enable.ts'

/** A signing secret that receivers have already. */
export interface ImportSecret {
  /** `whsec_` and the base64 of 24–64 bytes. If every signature of the item is an `hmac`: any text of 1–255 characters. */
  readonly secret: string
  /** When an older secret stops signing; after a day by default. The first secret has no end. */
  readonly expiresAt?: Date | null | undefined
}

/** Why an imported subscription is disabled. `key` is not among the reasons, because it has no key. */
export type ImportReason = Exclude<DisabledReason, 'key'>
const IMPORT_REASONS = DISABLED_REASONS.filter((reason): reason is ImportReason => reason !== 'key')

/** A subscription to import. For every optional field but `mode`, null is the same as leaving it out. */
export interface ImportItem extends Owner {
  /**
   * The id under which customers know the subscription; every call that takes an id takes it. 1–64 characters,
   * `A–Z a–z 0–9 _ . -` only, not a dot at the start. A generated id (`sub_…`) by default.
   */
  readonly id?: string | null | undefined
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  /** Who manages the subscription, as in `POST /v1/webhooks/subscriptions`. */
  readonly integration: string
  /** The caller's own id for the subscription, 1–255 characters. */
  readonly externalRef?: string | null | undefined
  /** A label for people, 1–255 characters. */
  readonly description?: string | null | undefined
  /** The format version to pin the subscription to; the current version by default. */
  readonly apiVersion?: string | null | undefined
  /** Whether to send personal data until a key confirms the subscription; false by default. */
  readonly personalData?: boolean | null | undefined
  /** The secret that receivers have; either this or `secrets`. */
  readonly secret?: string | null | undefined
  /** The same for a secret that is being rotated: the new and the old secret, which both sign. */
  readonly secrets?: readonly ImportSecret[] | null | undefined
  /** How deliveries are signed, so that receivers can verify them as before; `['standard']` by default. */
  readonly signatures?: readonly SignatureFormat[] | null | undefined
  /** When the customer created the subscription; now by default. */
  readonly createdAt?: Date | null | undefined
  /** `active` by default. */
  readonly state?: 'active' | 'disabled' | null | undefined
  /**
   * Why the subscription is disabled, which also says who may enable it: after `gone` and `failing`, its integration by
   * creating it again; after `account`, a key of the account; after `platform`, only you. Required if `state` is
   * `disabled`.
   */
  readonly disabledReason?: ImportReason | null | undefined
}

/** An item whose values have been checked. Undefined stands for a default. */
export interface ReadItem
  extends Omit<ImportedSubscription, 'id' | 'apiVersion' | 'secrets' | 'createdAt' | 'signatures' | Prepared> {
  readonly id: string | undefined
  readonly apiVersion: string | undefined
  /** Newest first. */
  readonly secrets: readonly { readonly secret: string; readonly expiresAt: Date | undefined }[]
  readonly signatures: readonly SignatureFormat[]
  readonly createdAt: Date | undefined
}

/** What only the import knows. */
type Prepared = 'laneId' | 'named' | 'digests' | 'identity' | 'entry'

const text = (field: string) => z.string(says(field, 'a string'))
const date = (field: string) => z.date(says(field, 'a valid Date'))

const secretKinds = z.strictObject(
  { secret: text('secret'), expiresAt: date('expiresAt').nullish() },
  says('secrets', 'an array of objects with secret and expiresAt'),
)
const itemKinds = z.strictObject(
  {
    accountId: text('accountId'),
    mode: z.enum(['live', 'test'], says('mode', '"live" or "test"')).optional(),
    id: text('id').nullish(),
    targetUrl: text('targetUrl'),
    eventTypes: z.array(text('eventTypes'), says('eventTypes', 'an array of strings')),
    integration: text('integration'),
    externalRef: text('externalRef').nullish(),
    description: text('description').nullish(),
    apiVersion: text('apiVersion').nullish(),
    personalData: z.boolean(says('personalData', 'true or false')).nullish(),
    secret: text('secret').nullish(),
    secrets: z.array(secretKinds, says('secrets', 'an array of objects with secret and expiresAt')).nullish(),
    signatures: z.unknown().optional(),
    createdAt: date('createdAt').nullish(),
    state: z.enum(['active', 'disabled'], says('state', '"active" or "disabled"')).nullish(),
    disabledReason: text('disabledReason').nullish(),
  },
  'Each item must be an object.',
)

export interface ImportRules {
  readonly rules: SubscriptionRules
  readonly formats: Formats
  /** The header that marks a test event. */
  readonly testHeader: string
  readonly now: () => number
}

/** Reads an item, or returns one issue for each invalid field. No issue contains a value of the item. */
export function readImportItem(item: unknown, rules: ImportRules): ReadItem | readonly Issue[] {
  const kinds = issuesOr(() => readKinds(itemKinds, item))
  if (!('value' in kinds)) return kinds.issues
  const { mode, ...given } = kinds.value
  const owner = issuesOr(() => readOwner({ accountId: given.accountId, mode }))
  const parsed = parseSignatures('signatures', given.signatures ?? STANDARD_SIGNATURES, rules.testHeader)
  const signatures = parsed.ok ? parsed.signatures : STANDARD_SIGNATURES
  const read: Omit<ReadItem, 'accountId' | 'mode'> = {
    id: given.id ?? undefined,
    targetUrl: given.targetUrl,
    eventTypes: [...new Set(given.eventTypes)],
    integration: given.integration,
    externalRef: given.externalRef ?? undefined,
    description: given.description ?? undefined,
    apiVersion: given.apiVersion ?? undefined,
    personalData: given.personalData ?? false,
    secrets: secretsOf(given).map(({ secret, expiresAt }) => ({ secret, expiresAt: expiresAt ?? undefined })),
    signatures,
    createdAt: given.createdAt ?? undefined,
    disabledReason: IMPORT_REASONS.find((reason) => reason === given.disabledReason),
  }
  const fields = { ...read, accountId: given.accountId, pinned: rules.formats.current }
  const checked = issuesOr(() => rules.rules.check(fields))
  const issues = [
    ...('value' in owner ? [] : owner.issues),
    read.id === undefined || isSubscriptionId(read.id) ? undefined : BAD_ID,
    ...('value' in checked
      ? []
      : checked.issues.map((issue) => withRule(issue, rules.rules.judgeTarget(read.targetUrl)))),
    ...(parsed.ok ? secretIssues(given, signatures) : parsed.issues),
    read.createdAt && pastIssue('createdAt', read.createdAt, rules.now()),
    reasonIssue(given),
  ].filter((issue) => issue !== undefined)
  if (!('value' in owner) || issues.length > 0) return issues
  return { ...owner.value, ...read }
}

/** What a check returns, or the issues of the `VALIDATION_FAILED` that it throws. */
function issuesOr<Value>(check: () => Value): { readonly value: Value } | { readonly issues: readonly Issue[] } {
  try {
    return { value: check() }
  } catch (error) {
    if (error instanceof CallboardError && error.code === 'VALIDATION_FAILED') return { issues: error.issues }
    throw error
  }
}

/** Says which rule refuses a target, because only the platform imports. */
function withRule(issue: Issue, target: ParsedTargetUrl): Issue {
  return issue.code === 'TARGET' && !target.ok ? { ...issue, message: explainTargetRule(target.rule) } : issue
}

type Kinds = z.output<typeof itemKinds>

const BAD_ID: Issue = { path: 'id', code: 'FORMAT', message: `id must have ${SUBSCRIPTION_ID_RULE}` }
/** A subscription stores no more secrets than a rotation leaves. */
const MOST_SECRETS = 2

function secretsOf({ secret, secrets }: Pick<Kinds, 'secret' | 'secrets'>): readonly ImportSecret[] {
  return secrets ?? (typeof secret === 'string' ? [{ secret }] : [])
}

function secretIssues(
  item: Pick<Kinds, 'secret' | 'secrets'>,
  signatures: readonly SignatureFormat[],
): (Issue | undefined)[] {
  const { secret = null, secrets = null } = item
  if ((secret === null) === (secrets === null))
    return [{ path: 'secret', code: 'REQUIRED', message: 'Give either secret or secrets.' }]
  const all = secretsOf(item)
  if (all.length === 0 || all.length > MOST_SECRETS)
    return [{ path: 'secrets', code: 'COUNT', message: `secrets must contain 1 to ${MOST_SECRETS} secrets.` }]
  return all.flatMap((each, index) => {
    const path = secrets === null ? 'secret' : `secrets.${index}.secret`
    const end = `secrets.${index}.expiresAt`
    return [
      secretIssue(path, each.secret, signatures),
      index === 0 && each.expiresAt != null ? withoutEnd(end) : undefined,
      each.expiresAt == null ? undefined : dateIssue(end, each.expiresAt),
    ]
  })
}

function withoutEnd(path: string): Issue {
  return { path, code: 'CONFLICT', message: 'The first secret is the current one, so it cannot expire.' }
}

function reasonIssue({ state, disabledReason }: Pick<Kinds, 'state' | 'disabledReason'>): Issue | undefined {
  const path = 'disabledReason'
  const isDisabled = state === 'disabled'
  if (disabledReason == null)
    return isDisabled ? { path, code: 'REQUIRED', message: `${path} is required if state is disabled.` } : undefined
  if (!isDisabled) return { path, code: 'CONFLICT', message: `${path} is only for the state disabled.` }
  return choiceIssue(path, disabledReason, IMPORT_REASONS)
}
