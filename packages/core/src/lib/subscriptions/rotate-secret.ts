import { generateSecret } from '@callboard/signature'
import type { Recorder } from '../audit/recorder.ts'
import { CallboardError } from '../errors.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import type { RotateSecret, SubscriptionStore } from '../ports/subscription-store.ts'
import { assertOverlap, DEFAULT_OVERLAP_MS } from '../secrets/overlap.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { secretVersion } from '../secrets/secret-version.ts'
import { changed, changeSubscription } from './change-subscription.ts'
import { openSecret } from './store-subscription.ts'

export interface RotateSecretOptions {
  /** How long the old secret keeps signing alongside the new secret, in milliseconds; 24 h by default. */
  readonly overlapMs?: number | undefined
  /**
   * Rotates the secret only if the current secret has this version (`secretVersion`); any version by default. A call
   * with this version can be repeated: if the last rotation replaced this version, and the old secret still signs, the
   * call returns the current secret. Throws `SECRET_ROTATED` for any other version.
   */
  readonly version?: string | undefined
}

/** A signing secret, and the name of its version. */
export interface VersionedSecret {
  readonly secret: string
  readonly secretVersion: string
}

interface Keeping {
  readonly store: Pick<SubscriptionStore, 'changeSubscription'>
  readonly recorder: Recorder
  readonly secretBox: SecretBox
}

/**
 * Rotates the secret of a subscription, and makes `confirmedBy`, if given, its confirming key.
 *
 * @param find reads the subscription. If this call does not rotate the secret, `find` is called again, to check whether
 *   an earlier rotation replaced the given version.
 */
export async function rotateSecret(
  keeping: Keeping,
  find: () => Promise<SubscriptionRecord>,
  { overlapMs = DEFAULT_OVERLAP_MS, version, confirmedBy }: RotateSecretOptions & Pick<RotateSecret, 'confirmedBy'>,
): Promise<VersionedSecret> {
  assertOverlap(overlapMs)
  const { secretBox } = keeping
  const found = await find()
  const meant = version === undefined || version === (await secretVersion(found.secrets[0]))
  const from = version === undefined ? undefined : found.secrets[0]?.sealed
  const secret = generateSecret()
  if (meant) {
    const sealedSecret = await secretBox.seal(found.id, secret)
    const act = { act: 'rotate_secret', sealedSecret, overlapMs, from, confirmedBy } as const
    const rotated = changed(await changeSubscription(keeping, found, act))
    if (rotated !== undefined) return versioned(rotated, secret)
  }
  const now = await find()
  if (version === undefined || version !== (await secretVersion(now.secrets[1]))) throw rotatedAlready()
  return versioned(now, await openSecret(secretBox, now))
}

async function versioned({ id, secrets }: SubscriptionRecord, secret: string): Promise<VersionedSecret> {
  const version = await secretVersion(secrets[0])
  if (version === undefined) throw new Error(`subscription ${id} has no secret`)
  return { secret, secretVersion: version }
}

function rotatedAlready(): CallboardError {
  return new CallboardError(
    'SECRET_ROTATED',
    'The secret was rotated in the meantime. Reload the subscription before rotating again.',
  )
}
