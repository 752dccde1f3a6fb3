import type { Callboard, Owner, SignatureFormat, SubscriptionWithHealth } from '@callboard/core'
import { attemptMessage, keyName, subscriptionName, troubleOf } from '@callboard/core/engine'
import type { BackfillRecord, HeldBackHost } from '@callboard/core/store'
import { Command, Option } from 'commander'
import { anyAccountOption, type InMode, modeOption, type OfAnyAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { notFound } from '../command-error.ts'
import { dashboardLink } from '../dashboard-link.ts'
import { everyAccount } from '../every-account.ts'
import { examples } from '../examples.ts'
import { parseDuration, parsePast } from '../option-values.ts'
import { readPages } from '../pages.ts'
import { refOf } from '../ref-of.ts'
import { findLabel, labelOf, nameColumn } from '../subscription-names.ts'
import type { Columns } from '../table.ts'
import { shortAnswer, TROUBLES, troubleAdvice } from '../troubles.ts'
import { createSubscription } from './create-subscription.ts'
import { testSubscription } from './test-subscription.ts'

type Shown = Omit<SubscriptionWithHealth, 'secrets'>

interface BackfillOptions extends OfAnyAccount, InMode {
  readonly since?: Date
  readonly cancel?: boolean
}

/** `callboard subscriptions …`: creates, shows, changes and backfills subscriptions. */
export function subscriptionsCommand(context: CommandContext): Command {
  const { out, err } = context
  const subscriptions = new Command('subscriptions')
    .summary('create, test, show, disable, enable, backfill and move subscriptions, rotate their secrets')
    .description('The webhook subscriptions of an account.')

  subscriptions.addCommand(createSubscription(context))
  subscriptions.addCommand(testSubscription(context))

  subscriptions
    .command('list')
    .description(
      'Lists subscriptions, newest first, except removed ones. Without --account, it lists the ' +
        'subscriptions of all accounts, one account after the other.',
    )
    .addOption(anyAccountOption('all accounts'))
    .addOption(modeOption())
    .addHelpText(
      'after',
      examples('callboard subscriptions list', 'callboard subscriptions list --account acc_1 --mode test'),
    )
    .action(async ({ account, mode }: OfAnyAccount & InMode) => {
      const callboard = await context.open()
      const records: SubscriptionWithHealth[] = []
      for await (const accountId of everyAccount(callboard, account))
        records.push(...(await withHealth(callboard, { accountId, mode })))
      const columns = { ...COLUMNS, name: nameColumn(records) }
      out.list(records.map(withoutSecrets), account === undefined ? { ...ACCOUNT, ...columns } : columns)
      if (records.length === 0)
        err.note(`There are no ${mode} subscriptions${account === undefined ? '' : ', or there is no such account'}.`)
    })

  subscriptions
    .command('show <subscription>')
    .description('Shows a subscription, without its signing secret.')
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard subscriptions show sub_…'))
    .action(async (id: string, options: OfAnyAccount & InMode) => {
      const callboard = await context.open()
      const record = await callboard.subscriptions.health(await refOf(callboard, id, options))
      if (record === undefined) throw notFound('There is no such subscription.')
      const link = dashboardLink(await context.platform(), record, ['subscriptions', id])
      const { accountId, confirmedBy } = record
      const key = confirmedBy === undefined ? undefined : await callboard.keys.find({ accountId, id: confirmedBy })
      out.show(withoutSecrets(record), { ...FIELDS, 'key name': () => key && keyName(key), ...link })
    })

  subscriptions
    .command('disable <subscription>')
    .description(
      'Disables a subscription. Its pending and retrying deliveries end as disabled. ' +
        'Only "subscriptions enable" can enable it again; its account and its integration cannot.',
    )
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard subscriptions disable sub_…'))
    .action(async (id: string, options: OfAnyAccount & InMode) => {
      const callboard = await context.open()
      const ref = await refOf(callboard, id, options)
      await callboard.subscriptions.disable({ ...ref, by: 'platform' })
      context.done({ id, state: 'disabled' }, `Disabled ${await findLabel(callboard, ref)}.`)
    })

  subscriptions
    .command('enable <subscription>')
    .description(
      'Enables a subscription, whatever disabled it. It gets the events published from now on. ' +
        'To send the events that it missed as well, run "deliveries resend --state disabled".',
    )
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--key <key>', 'another key for the subscription; needed if its own key was revoked or has expired')
    .addHelpText(
      'after',
      examples('callboard subscriptions enable sub_…', 'callboard subscriptions enable sub_… --key key_…'),
    )
    .action(async (id: string, { key, ...options }: OfAnyAccount & InMode & { readonly key?: string }) => {
      const callboard = await context.open()
      const ref = await refOf(callboard, id, options)
      await callboard.subscriptions.enable({ ...ref, by: 'platform', keyId: key })
      context.done({ id, state: 'active' }, `Enabled ${await findLabel(callboard, ref)}.`)
    })

  subscriptions
    .command('backfill <subscription>')
    .description(
      'Shows the last backfill of a subscription. With --since, sends the events that were published since that time ' +
        'and before the subscription was created or last enabled; new events do not wait for them.',
    )
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--since <time>', 'send events published since this time: a date, or an age such as 24h', parsePast)
    .addOption(new Option('--cancel', 'end the backfill').conflicts('since'))
    .addHelpText(
      'after',
      examples('callboard subscriptions backfill sub_… --since 7d', 'callboard subscriptions backfill sub_… --cancel'),
    )
    .action(async (id: string, { since, cancel, ...options }: BackfillOptions) => {
      const callboard = await context.open()
      const ref = await refOf(callboard, id, options)
      const { startBackfill, findBackfill, cancelBackfill } = callboard.subscriptions
      const backfill = await (since
        ? startBackfill({ ...ref, since })
        : cancel
          ? cancelBackfill(ref)
          : findBackfill(ref))
      if (backfill === undefined) throw notFound('The subscription has had no backfill.')
      out.show(backfill, BACKFILL)
    })

  subscriptions
    .command('move <subscription> <version>')
    .description('Pins a subscription to another format version. All deliveries from now on have that version.')
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard subscriptions move sub_… 2026-10-01 --account acc_1'))
    .action(async (id: string, version: string, options: OfAnyAccount & InMode) => {
      const callboard = await context.open('your catalogue, which has the format versions')
      const ref = await refOf(callboard, id, options)
      const moved = await callboard.subscriptions.setApiVersion({
        ...ref,
        apiVersion: version,
        by: 'platform',
      })
      context.done({ id, apiVersion: moved.apiVersion }, `Pinned ${labelOf(moved)} to ${moved.apiVersion}.`)
    })

  subscriptions
    .command('rotate-secret <subscription>')
    .description(
      'Creates a new signing secret. Until the overlap ends, deliveries are signed with both secrets, but `hmac` ' +
        'signatures only with the new one. Only the new secret goes to stdout.',
    )
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--overlap <duration>', 'how long the old secret also signs (default: 24h)', parseDuration)
    .addHelpText('after', examples('callboard subscriptions rotate-secret sub_… --account acc_1 --overlap 7d'))
    .action(async (id: string, options: OfAnyAccount & InMode & { readonly overlap?: number }) => {
      // Needs the platform's own key ring, because its workers could not open a secret that another key ring sealed.
      const callboard = await context.open('your secret keys, which seal signing secrets')
      const ref = await refOf(callboard, id, options)
      const { signatures = [] } = (await callboard.subscriptions.find(ref)) ?? {}
      const hmac = signatures.filter((format) => typeof format === 'object').map(({ header }) => header)
      const newestOnly = hmac.length > 0 && hmac.length === signatures.length
      if (hmac.length > 0)
        err.note(
          `This subscription signs by ${hmac.join(' and ')} with the newest secret only: ` +
            `${newestOnly ? 'its receiver' : 'a receiver that verifies it'} refuses deliveries until it has the new secret.`,
        )
      const secret = await callboard.subscriptions.rotateSecret({
        ...ref,
        by: 'platform',
        overlapMs: options.overlap,
      })
      if (out.json) return out.document({ id, secret })
      out.line(secret)
      err.note(
        newestOnly
          ? 'Give this secret to the receiver now.'
          : 'Give this secret to the receiver. Until the overlap ends, the old one also signs.',
      )
    })

  return subscriptions
}

/** All subscriptions of an account, newest first, each with its health. */
async function withHealth({ subscriptions }: Callboard, owner: Owner): Promise<readonly SubscriptionWithHealth[]> {
  const { items } = await readPages(Number.POSITIVE_INFINITY, undefined, async (query) => {
    const { subscriptions: page, nextCursor } = await subscriptions.overview({ ...owner, ...query })
    return { items: page, nextCursor }
  })
  return items
}

/** Leaves out the secrets, which are never printed, not even sealed. */
function withoutSecrets({ secrets: _, ...shown }: SubscriptionWithHealth): Shown {
  return shown
}

const stateOf = ({ state, disabledReason }: Shown): string =>
  disabledReason === undefined ? state : `${state} (${disabledReason})`

const BECAUSE: Readonly<Record<HeldBackHost['reason'], string>> = {
  new: ' until its first answer',
  failing: ' because its last requests failed or were slow',
  full: '',
}

/** Says why due deliveries wait, and that waiting uses up no attempts. */
function heldBackOf({ health: { heldBack } }: Shown): string | undefined {
  if (heldBack === undefined) return undefined
  const { limit, reason } = heldBack
  const requests = `${limit} ${limit === 1 ? 'request' : 'requests'}`
  return `the target gets at most ${requests} at a time${BECAUSE[reason]}; waiting uses up no attempts`
}

/** The state of a subscription. If it is active, also what is wrong with it. */
function conditionOf(shown: Shown): string {
  const { trouble } = troubleOf(shown, Date.now()) ?? {}
  const { heldBack } = shown.health
  if (trouble === 'disabled') return stateOf(shown)
  if (heldBack !== undefined && (trouble ?? 'heldBack') === 'heldBack')
    return `${stateOf(shown)} (held back: ${heldBack.limit} at a time)`
  return trouble === undefined ? stateOf(shown) : `${stateOf(shown)} (${TROUBLES[trouble]})`
}

/** What to do about what is wrong with a subscription. */
function adviceOf(shown: Shown): string | undefined {
  const { trouble } = troubleOf(shown, Date.now()) ?? {}
  return trouble && troubleAdvice({ trouble, disabledReason: shown.disabledReason }, shown.id)
}

const signatureOf = (format: SignatureFormat): string =>
  typeof format === 'string' ? format : `${format.header} (HMAC-SHA256 of ${format.over}, ${format.encoding})`

const BACKFILL: Columns<BackfillRecord> = {
  state: ({ state }) => state,
  since: ({ since }) => since,
  started: ({ startedAt }) => startedAt,
  reached: ({ reachedAt }) => reachedAt,
}

const ACCOUNT: Columns<Shown> = { account: ({ accountId }) => accountId }

const COLUMNS: Columns<Shown> = {
  id: ({ id }) => id,
  name: subscriptionName,
  state: conditionOf,
  since: ({ health: { failing, disabledAt } }) => disabledAt ?? failing?.since,
  'last answer': ({ health: { lastAttempt } }) => shortAnswer(lastAttempt),
  retrying: ({ health: { retrying } }) => retrying,
  'oldest pending': ({ health: { oldestPendingAt } }) => oldestPendingAt,
  integration: ({ integration }) => integration,
  target: ({ targetUrl }) => targetUrl,
  'event types': ({ eventTypes }) => eventTypes.join(','),
  version: ({ apiVersion }) => apiVersion,
  created: ({ createdAt }) => createdAt,
}

const FIELDS: Columns<Shown> = {
  ...COLUMNS,
  advice: adviceOf,
  'last answer': ({ health: { lastAttempt } }) => lastAttempt && (lastAttempt.status ?? attemptMessage(lastAttempt)),
  'failing since': ({ health: { failing } }) => failing?.since,
  'failed attempts': ({ health: { failing } }) => failing?.attempts,
  'paused until': ({ health: { pausedUntil } }) => pausedUntil,
  'held back': heldBackOf,
  'last attempt': ({ health: { lastAttempt } }) => lastAttempt?.at,
  'event types': ({ eventTypes }) => eventTypes.join(', '),
  ...ACCOUNT,
  mode: ({ mode }) => mode,
  'created by': ({ source }) => source,
  'external ref': ({ externalRef }) => externalRef,
  signatures: ({ signatures }) => signatures.map(signatureOf).join(', '),
  ordering: ({ ordering }) => ordering,
  key: ({ confirmedBy }) => confirmedBy,
  'personal data': ({ confirmedBy, personalData }) =>
    confirmedBy === undefined ? (personalData ?? false) : 'if its key has the scope',
}
