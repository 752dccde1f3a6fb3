import type { Callboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Finding } from '@callboard/core/store'
import { describeFailure } from '../failure.ts'
import { checkRuntime } from './check-runtime.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkStore } from './check-store.ts'
import { checkPinning, checkTls } from './check-tls.ts'
import { checkTroubled } from './check-troubled.ts'
import { checkVersions } from './check-versions.ts'
import {
  checkAttendance,
  checkCatalog,
  checkClock,
  checkDisabled,
  checkLanes,
  checkOutbox,
  checkPostponed,
  checkTurns,
  checkWorkerClocks,
} from './check-work.ts'

export interface ExamineOptions {
  readonly callboard: Callboard
  /** Whether `callboard` comes from a config module. If so, it has the platform's catalogue and key ring. */
  readonly configured: boolean
  /** PEM certificates that the platform's worker trusts in addition to the runtime's own. */
  readonly authorities: readonly string[]
}

/**
 * Runs the checks one after the other, and yields each finding as soon as it is known. Never throws, and changes
 * nothing.
 */
export async function* examine({ callboard, configured, authorities }: ExamineOptions): AsyncGenerator<Finding> {
  const engine = engineOf(callboard)
  yield* checkRuntime()
  yield await runCheck('pinning', checkPinning)
  yield await runCheck('tls', () => checkTls(authorities))
  const { findings, work, aheadMs } = await checkStore(engine)
  yield* findings
  if (work === undefined || aheadMs === undefined) {
    yield skipped(
      'work',
      'clock, outbox, workers, turns, subscriptions, deliveries and secrets could not be checked: see above',
    )
    return
  }
  yield checkClock(aheadMs)
  yield await runCheck('outbox', async () => checkOutbox(await engine.store.deliveries.backlog()))
  yield checkLanes(work)
  yield checkAttendance(work)
  yield checkTurns(work)
  for (const finding of [checkPostponed(work), checkWorkerClocks(work)]) if (finding.verdict !== 'ok') yield finding
  yield checkDisabled(work)
  yield await runCheck('deliveries', () => checkTroubled(callboard))
  if (!configured) {
    yield skipped(
      'secrets',
      'the key ring and the catalogue are in your config module: run this in the folder of callboard.config.ts',
    )
    return
  }
  yield await runCheck('secrets', () => checkSecrets(engine))
  yield await runCheck('catalogue', () => checkCatalog(engine))
  yield await runCheck('versions', () => checkVersions(callboard.versions, engine.now()))
}

function skipped(check: string, message: string): Finding {
  return { check, verdict: 'skipped', message }
}

/** Turns a check that throws into a finding, so that the other checks still run. */
async function runCheck(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    return { check, verdict: 'problem', message: `could not be checked: ${describeFailure(error).message}` }
  }
}
