import { CallboardError, isCallboardError } from '@callboard/core'
import { type AnyCallboard, type Engine, engineOf } from '@callboard/core/engine'
import { provePinning } from '../http/pinning-canary.ts'
import { proveTunnelling } from '../http/tunnel-canary.ts'
import { backOff } from '../timing/back-off.ts'
import type { WorkerOptions } from './worker-options.ts'

const SECRETS_TRIED = 5

/**
 * Checks that the store is migrated, that the key ring can decrypt the stored secrets, and that the built-in transport
 * is safe on this runtime (see `provePinning` and `proveTunnelling`). Throws the errors that `startWorker` documents,
 * and `UNAVAILABLE`.
 */
export async function checkStart(
  callboard: AnyCallboard,
  { transport, egressProxy }: Pick<WorkerOptions, 'transport' | 'egressProxy'>,
): Promise<void> {
  if (transport === undefined) await (egressProxy === undefined ? provePinning() : proveTunnelling())
  const engine = engineOf(callboard)
  await engine.store.ready()
  await assertKeyRingFits(engine)
  await reportLeftTypes(engine)
  await reportMissingVersions(callboard, engine)
}

/**
 * Runs {@link checkStart} for a worker that keeps running. While the store is out of reach, reports the error, waits
 * and checks again, until `signal` aborts.
 */
export async function awaitStart(callboard: AnyCallboard, options: WorkerOptions): Promise<void> {
  const { store, hooks } = engineOf(callboard)
  const { signal, soleWorker, moveMissingVersions } = options
  for (let failures = 1; signal?.aborted !== true; failures++) {
    try {
      await checkStart(callboard, options)
      if (soleWorker === true) await store.deliveries.releaseLeases({ of: 'all' })
      if (moveMissingVersions === true) await callboard.as({ type: 'worker', id: undefined }).versions.moveMissing()
      return
    } catch (error) {
      if (!isCallboardError(error, 'UNAVAILABLE')) throw error
      hooks.onError(error)
      await backOff(failures, signal)
    }
  }
}

/**
 * Refuses a key ring that cannot decrypt any secret of a sample, such as another platform's. With it, a worker would
 * send nothing.
 */
async function assertKeyRingFits({ store, secretBox }: Engine): Promise<void> {
  const sample = await store.subscriptions.sealedSecrets(undefined, SECRETS_TRIED)
  const opened = await Promise.allSettled(
    sample.map(({ ref, sealed: [current = ''] }) => secretBox.open(ref.id, current)),
  )
  if (sample.length > 0 && opened.every(({ status }) => status === 'rejected')) {
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      'secretKeys cannot open the signing secrets in the store. Configure the keys that sealed them.',
    )
  }
}

/** Logs the event types that subscriptions name but the catalogue does not contain. */
async function reportLeftTypes({ store, formats, hooks }: Engine): Promise<void> {
  const known = new Set(formats.shapes.map(({ type }) => type))
  const left = (await store.subscriptions.typesInUse()).filter((type) => !known.has(type))
  if (left.length > 0)
    hooks.log({
      level: 'warn',
      message: 'subscriptions name event types that the catalogue does not have',
      fields: { types: left.join(', ') },
    })
}

/**
 * Logs each format version that is in use although it has ended or left the catalogue, and how many subscriptions, keys
 * and events use it.
 */
async function reportMissingVersions({ versions }: AnyCallboard, { hooks }: Engine): Promise<void> {
  for (const { version, servedAs, subscriptions, keys, events = 0 } of await versions.missing())
    hooks.log({
      level: 'warn',
      message: 'a format version is in use that the catalogue no longer has',
      fields: { version, servedAs, subscriptions, keys, events },
    })
}
