import type { Engine } from '@callboard/core/engine'
import type { Finding } from '@callboard/core/store'

/** Enough to meet every key of the ring that is in use, as a rule. */
const SECRETS_TRIED = 200

/** Whether the key ring opens what it has sealed. */
export async function checkSecrets({ store, secretBox }: Engine): Promise<Finding> {
  const check = 'secrets'
  const sample = await store.subscriptions.sealedSample(SECRETS_TRIED)
  if (sample.length === 0) return { check, verdict: 'ok', message: 'no signing secret is stored yet' }
  const opened = await Promise.allSettled(sample.map(({ id, sealed }) => secretBox.open(id, sealed)))
  const shut = opened.filter(({ status }) => status === 'rejected').length
  if (shut > 0)
    return {
      check,
      verdict: 'problem',
      message: `secretKeys open ${sample.length - shut} of ${sample.length} signing secrets`,
      advice: 'Put the missing keys back: subscriptions whose secret does not open get nothing.',
    }
  const former = sample.filter(({ sealed }) => !secretBox.isCurrent(sealed)).length
  const message = `secretKeys open all ${sample.length} that were tried`
  return former === 0
    ? { check, verdict: 'ok', message }
    : {
        check,
        verdict: 'ok',
        message: `${message}; ${former} are sealed with a former key`,
        advice: 'Keep that key, or run subscriptions.rewrapSecrets() and remove it afterwards.',
      }
}
