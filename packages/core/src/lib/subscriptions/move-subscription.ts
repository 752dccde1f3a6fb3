import type { Recorder } from '../audit/recorder.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import type { SetApiVersion, SubscriptionStore } from '../ports/subscription-store.ts'
import { validationFailed } from '../validation/validation.ts'
import { assertVersion } from '../versions/api-version.ts'
import type { Formats } from '../versions/formats.ts'
import { changed, changeSubscription } from './change-subscription.ts'
import { unknownSubscription } from './changeable.ts'

interface Keeping {
  readonly store: Pick<SubscriptionStore, 'changeSubscription'>
  readonly recorder: Recorder
  readonly formats: Formats
}

/**
 * Pins a subscription to another format version.
 *
 * @param find reads the subscription; it throws if the caller may not change it.
 * @throws CallboardError `VALIDATION_FAILED` for a version that is not served, or that does not have one of the
 *   subscription's event types yet; `NOT_FOUND`.
 */
export async function moveSubscription(
  keeping: Keeping,
  find: () => Promise<SubscriptionRecord>,
  move: Omit<SetApiVersion, 'act'>,
): Promise<SubscriptionRecord> {
  const { formats } = keeping
  assertVersion(move.apiVersion, formats)
  const subscription = await find()
  const version = formats.served(move.apiVersion)
  const newest = formats.served(formats.current)
  // A type that the newest version lacks has ended, so it does not prevent the move.
  const missing = subscription.eventTypes.find(
    (type) => version.get(type) === undefined && newest.get(type) !== undefined,
  )
  if (missing !== undefined) {
    const message = `Version ${version.version} has no ${missing}, which the subscription includes.`
    throw validationFailed({ path: 'apiVersion', code: 'CONFLICT', message })
  }
  const moved = changed(await changeSubscription(keeping, subscription, { act: 'set_api_version', ...move }))
  if (moved === undefined) throw unknownSubscription()
  return moved
}
