import type { Engine } from '@callboard/core/engine'
import type { Finding } from '@callboard/core/store'

/**
 * The number of stored secrets to try to open. It is so large that each key in use has usually sealed at least one of
 * them.
 */
const SAMPLE_SIZE = 200

/** Checks that the key ring can open the stored signing secrets. */
export async function checkSecrets({ store, secretBox }: Engine): Promise<Finding> {
  const check = 'secrets'
  const sample = await store.subscriptions.sealedSecrets(undefined, SAMPLE_SIZE)
  if (sample.length === 0) return { check, verdict: 'ok', message: 'no signing secret is stored yet' }
  const opened = await Promise.allSettled(
    sample.map(({ ref, sealed: [current = ''] }) => secretBox.open(ref.id, current)),
  )
  const shut = opened.filter(({ status }) => status === 'rejected').length
  if (shut > 0)
    return {
      check,
      verdict: 'problem',
      message: `secretKeys open only ${sample.length - shut} of ${sample.length} signing secrets in a sample`,
      advice: 'Restore the missing keys: a subscription whose secret cannot be opened gets no deliveries.',
    }
  const former = sample.filter(({ sealed: [current = ''] }) => !secretBox.isCurrent(current)).length
  const message = `secretKeys open every signing secret in a sample of ${sample.length}`
  return former === 0
    ? { check, verdict: 'ok', message }
    : {
        check,
        verdict: 'ok',
        message: `${message}; ${former} are sealed with an older key`,
        advice: 'Keep the older key, or run subscriptions.rewrapSecrets() and remove the older key afterwards.',
      }
}
