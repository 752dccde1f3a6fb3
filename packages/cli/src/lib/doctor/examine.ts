import type { Callboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Finding } from '@callboard/core/store'
import { describeFailure } from '../failure.ts'
import { checkRuntime } from './check-runtime.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkStore } from './check-store.ts'
import { checkPinning, checkTls } from './check-tls.ts'
import { checkCatalog, checkClock, checkDisabled, checkLanes, checkOutbox } from './check-work.ts'

export interface ExamineOptions {
  readonly callboard: Callboard
  /** Whether it is the platform's own, with its catalogue and its key ring. */
  readonly configured: boolean
  /** PEM certificates that its worker trusts beside the runtime's own. */
  readonly authorities: readonly string[]
}

/** Looks at one thing after the other, and tells of each as soon as it has. Never throws; changes nothing. */
export async function* examine({ callboard, configured, authorities }: ExamineOptions): AsyncGenerator<Finding> {
  const engine = engineOf(callboard)
  yield* checkRuntime()
  yield await told('pinning', checkPinning)
  yield await told('tls', () => checkTls(authorities))
  const { findings, work, aheadMs } = await checkStore(engine)
  yield* findings
  if (work === undefined || aheadMs === undefined) {
    yield skipped('work', 'clock, outbox, workers, subscriptions and secrets could not be checked: see above')
    return
  }
  yield checkClock(aheadMs)
  yield await told('outbox', async () => checkOutbox(await engine.store.deliveries.backlog()))
  yield checkLanes(work)
  yield checkDisabled(work)
  if (!configured) {
    yield skipped(
      'secrets',
      'the key ring and the catalogue are in your config module: run this next to callboard.config.ts',
    )
    return
  }
  yield await told('secrets', () => checkSecrets(engine))
  yield await told('catalogue', () => checkCatalog(callboard.catalog, engine))
}

function skipped(check: string, message: string): Finding {
  return { check, verdict: 'skipped', message }
}

/** A check that fails is a finding as well: the others may say why. */
async function told(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    return { check, verdict: 'problem', message: `could not be checked: ${describeFailure(error).message}` }
  }
}
