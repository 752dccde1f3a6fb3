import { setTimeout as delay } from 'node:timers/promises'
import type { TroubledSubscription } from '@callboard/core'
import { engineOf, subscriptionName } from '@callboard/core/engine'
import type { Finding } from '@callboard/core/store'
import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandError } from '../command-error.ts'
import { checkStore } from '../doctor/check-store.ts'
import { checkAttendance, checkLanes, checkOutbox, checkPostponed, checkWorkerClocks } from '../doctor/check-work.ts'
import { duration } from '../duration.ts'
import { examples } from '../examples.ts'
import { parseCount } from '../option-values.ts'
import type { Output } from '../output.ts'
import { nameColumn } from '../subscription-names.ts'
import { type Columns, formatCell } from '../table.ts'
import { troubleColour, VERDICT_COLOURS } from '../trouble-colour.ts'
import { shortAnswer, troubleAdvice, troubleName } from '../troubles.ts'

interface StatusOptions {
  readonly limit: number
  readonly watch?: true
}

const WATCH_MS = 2_000

/** The result that `status` prints. */
interface Status {
  /** False if there is a warning, a problem or a subscription in trouble. */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  readonly subscriptions: readonly Omit<TroubledSubscription, 'secrets'>[]
}

/** `callboard status`: shows what is wrong right now with the deliveries of all accounts. */
export function statusCommand(context: CommandContext): Command {
  const { out, err } = context
  return new Command('status')
    .summary('show what is wrong with deliveries right now, across all accounts')
    .description(
      'Shows whether events are being sequenced and whether workers are running. Lists the subscriptions of all ' +
        'accounts that were disabled, are paused, are failing, are behind, have a slow target or are held back, the worst first. ' +
        'Exits with 1 when anything is wrong.',
    )
    .option('--limit <n>', 'list at most this many subscriptions', parseCount, 25)
    .option('--watch', 'repeat the check every two seconds, until Ctrl-C')
    .addHelpText('after', examples('callboard status', 'callboard status --watch', 'callboard status --json | jq .ok'))
    .action(async ({ limit, watch }: StatusOptions) => {
      if (watch !== true) {
        const status = await look(context, limit)
        if (out.json) out.document(toDocument(status))
        else print(context, status, limit)
        if (!status.ok) throw new CommandError(summary(status))
        return
      }
      const signal = context.signal()
      while (!signal.aborted) {
        const status = await look(context, limit)
        if (out.json) out.ndjson(toDocument(status))
        else {
          if (out.terminal) out.line(CLEAR)
          err.note(new Date().toISOString())
          print(context, status, limit)
        }
        await delay(WATCH_MS, undefined, { signal }).catch(() => undefined)
      }
    })
}

/** Moves the cursor of a terminal to the top, and clears the screen. */
const CLEAR = '\u001b[H\u001b[2J'

async function look(context: CommandContext, limit: number): Promise<Status> {
  const { callboard } = await context.platform()
  const engine = engineOf(callboard)
  const { findings: ofStore, work } = await checkStore(engine)
  const bad = ofStore.filter(({ verdict }) => verdict === 'warning' || verdict === 'problem')
  if (work === undefined) return { ok: false, findings: [...bad, NOT_CHECKED].sort(byVerdict), subscriptions: [] }
  const ofWork = [
    checkAttendance(work),
    checkOutbox(await engine.store.deliveries.backlog()),
    checkLanes(work),
    ...[checkPostponed(work), checkWorkerClocks(work)].filter(({ verdict }) => verdict !== 'ok'),
  ]
  const findings = [...bad, ...ofWork].sort(byVerdict)
  const troubled = await callboard.subscriptions.troubled({ limit })
  return {
    ok: troubled.length === 0 && findings.every(({ verdict }) => verdict === 'ok'),
    findings,
    subscriptions: troubled.map(({ secrets: _, ...shown }) => shown),
  }
}

/** Names what is wrong: “attendance, workers; 3 subscriptions in trouble”. */
function summary({ findings, subscriptions }: Status): string {
  const bad = findings.filter(({ verdict }) => verdict !== 'ok').map(({ check }) => check)
  const { length } = subscriptions
  const parts = [
    bad.length > 0 && `These checks failed: ${bad.join(', ')}.`,
    length > 0 && `${length} ${length === 1 ? 'subscription is' : 'subscriptions are'} in trouble.`,
  ]
  return parts.filter((part) => part !== false).join(' ')
}

const NOT_CHECKED: Finding = {
  check: 'subscriptions',
  verdict: 'skipped',
  message: 'workers and subscriptions could not be checked: see above',
}

/** From the worst to the best. */
const VERDICTS: readonly Finding['verdict'][] = ['problem', 'warning', 'skipped', 'ok']

function byVerdict(a: Finding, b: Finding): number {
  return VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict)
}

/** Gives all findings the same fields, so that `advice` is printed as null if there is none. */
function toDocument({ findings, ...status }: Status): Status {
  return { ...status, findings: findings.map(({ advice, ...finding }) => ({ ...finding, advice })) }
}

function print({ out }: CommandContext, { findings, subscriptions }: Status, limit: number): void {
  for (const { verdict, check, message, advice } of findings) {
    const isBad = verdict === 'problem' || verdict === 'warning'
    const head = isBad ? out.paint(VERDICT_COLOURS[verdict], `! ${check}:`) : `  ${check}:`
    out.line(`${head} ${formatCell(message)}`)
    if (advice !== undefined) out.line(`    ${formatCell(advice)}`)
  }
  const [worst] = subscriptions
  if (worst === undefined) {
    if (!findings.includes(NOT_CHECKED)) out.line('  subscriptions: none is in trouble')
    return
  }
  const all = subscriptions.length < limit
  const head = paintTrouble(troubleName(worst), '! subscriptions:', out)
  out.line(`${head} ${subscriptions.length}${all ? '' : ' or more'} in trouble${all ? '' : ' (see --limit)'}`)
  out.line('')
  out.list(subscriptions, { ...COLUMNS, name: nameColumn(subscriptions) })
  out.line('')
  const advice = new Map(subscriptions.map((one) => [troubleName(one), troubleAdvice(one, '<id>')]))
  for (const [name, each] of advice) out.line(`${paintTrouble(name, `${name}:`, out)} ${formatCell(each)}`)
}

/** Gives a text the colour of a trouble. */
function paintTrouble(name: string, text: string, { paint }: Output): string {
  return paint(troubleColour('trouble', name), text)
}

const COLUMNS: Columns<Omit<TroubledSubscription, 'secrets'>> = {
  trouble: troubleName,
  for: ({ since }) => since && duration(Math.max(0, Date.now() - since.getTime())),
  'last answer': ({ health: { lastAttempt } }) => shortAnswer(lastAttempt),
  took: ({ health: { lastAttempt } }) => lastAttempt && duration(lastAttempt.durationMs),
  retrying: ({ health: { retrying } }) => retrying,
  'oldest pending': ({ health: { oldestPendingAt } }) => oldestPendingAt,
  account: ({ accountId, mode }) => (mode === 'live' ? accountId : `${accountId} (${mode})`),
  subscription: ({ id }) => id,
  name: subscriptionName,
  target: ({ targetUrl }) => targetUrl,
}
