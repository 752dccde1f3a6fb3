import { CallboardError, type Catalog, isCallboardError } from '@callboard/core'
import { type AnyCallboard, type Engine, engineOf } from '@callboard/core/engine'
import { provePinning } from '../http/pinning-canary.ts'
import { proveTunnelling } from '../http/tunnel-canary.ts'
import { backOff } from './back-off.ts'
import type { WorkerOptions } from './worker-options.ts'

const SECRETS_TRIED = 5

/**
 * Checks that connections go only to addresses that the policy allows, that the store is migrated, and that the key
 * ring can decrypt the stored secrets. While the store is out of reach, reports that and waits, until `signal` aborts.
 * Throws the errors that `startWorker` documents.
 */
export async function checkStart(
  callboard: AnyCallboard,
  { transport, egressProxy, soleWorker, signal }: WorkerOptions,
): Promise<void> {
  if (transport === undefined) await (egressProxy === undefined ? provePinning() : proveTunnelling())
  const engine = engineOf(callboard)
  for (let failures = 1; signal?.aborted !== true; failures++) {
    try {
      await checkStore(callboard.catalog, engine)
      if (soleWorker === true) await engine.store.deliveries.releaseLeases()
      return
    } catch (error) {
      if (!isCallboardError(error, 'UNAVAILABLE')) throw error
      engine.hooks.onError(error)
      await backOff(failures, signal)
    }
  }
}

async function checkStore(catalog: Catalog, engine: Engine): Promise<void> {
  await engine.store.ready()
  await assertKeyRingFits(engine)
  await reportLeftTypes(catalog, engine)
}

/**
 * A worker with another platform's key ring would use up the attempts of every delivery without sending anything. If
 * some secrets cannot be decrypted, only their own deliveries fail. If none can, the configuration is wrong.
 */
async function assertKeyRingFits({ store, secretBox }: Engine): Promise<void> {
  const sample = await store.subscriptions.sealedSample(SECRETS_TRIED)
  const opened = await Promise.allSettled(sample.map(({ id, sealed }) => secretBox.open(id, sealed)))
  if (sample.length > 0 && opened.every(({ status }) => status === 'rejected')) {
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      'secretKeys cannot open the signing secrets in the store. Configure the keys that sealed them.',
    )
  }
}

/** Logs the event types that subscriptions name but the catalogue does not contain. */
async function reportLeftTypes(catalog: Catalog, { store, hooks }: Engine): Promise<void> {
  const left = (await store.subscriptions.typesInUse()).filter((type) => catalog.get(type) === undefined)
  if (left.length > 0)
    hooks.log({
      level: 'warn',
      message: 'subscriptions name event types that the catalogue does not have',
      fields: { types: left.join(', ') },
    })
}
