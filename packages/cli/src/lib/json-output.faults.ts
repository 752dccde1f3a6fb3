import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEntry, Issue } from '@callboard/core'
import { startWorker } from '@callboard/delivery'
import { startReceiver, type TestReceiver } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { cliWorld } from '../../test/cli-world.ts'
import type { JsonOutput } from './json-output.ts'

const world = cliWorld()
const time = z.iso.datetime()
const count = z.int().min(0)
const mode = z.enum(['live', 'test'])
const scope = z.enum(['webhooks.read', 'webhooks.write', 'people.read'])
const orNull = <T extends z.ZodType>(schema: T) => schema.nullable()

const list = <Row extends z.ZodType>(row: Row) => z.strictObject({ data: z.array(row) })
const paged = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ data: z.array(row), nextCursor: orNull(z.string()) })

const account = z.strictObject({ id: z.string(), name: z.string() })
const limits = orNull(z.array(z.strictObject({ limit: count, seconds: count })))
const keyFields = {
  ...{
    id: z.string(),
    accountId: z.string(),
    mode,
    name: z.string(),
    lastCharacters: orNull(z.string()),
    scopes: z.array(scope),
    limits,
  },
  ...{ apiVersion: z.string(), createdAt: time, expiresAt: orNull(time), revokedAt: orNull(time) },
  ...{ lastUsedAt: orNull(time), successorId: orNull(z.string()) },
}
const key = z.strictObject(keyFields)
const issuedKey = z.strictObject({ ...keyFields, token: z.string() })

const state = z.enum(['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'expired', 'disabled'])
const outcome = z.enum(['delivered', 'failed', 'exhausted', 'gone', 'expired'])
const lastAttempt = { outcome, status: orNull(count), reason: orNull(z.string()), at: time }
const delivery = z.strictObject({
  ...{ subscriptionId: z.string(), eventId: z.string(), type: z.string(), state, attempts: count },
  ...{ occurredAt: orNull(time), subject: orNull(z.strictObject({ type: z.string(), id: z.string() })) },
  ...{ nextAttemptAt: orNull(time), lastAttempt: orNull(z.strictObject(lastAttempt)) },
})
const attempt = z.strictObject({
  ...{ id: z.string(), eventId: z.string(), subscriptionId: z.string(), number: count, outcome, startedAt: time },
  ...{ status: orNull(count), reason: orNull(z.string()), durationMs: count, response: orNull(z.string()) },
})
const reason = z.enum(['gone', 'failing', 'key', 'account', 'platform'])
const signature = z.union([
  z.enum(['standard', 'svix']),
  z.strictObject({
    ...{ type: z.literal('hmac'), header: z.string(), over: z.enum(['body', 'timestamp.body']) },
    ...{
      encoding: z.enum(['hex', 'base64']),
      prefix: z.string().exactOptional(),
      timestampHeader: z.string().exactOptional(),
    },
  }),
])
const subscriptionFields = {
  ...{ id: z.string(), accountId: z.string(), mode, source: z.enum(['api', 'dashboard']), targetUrl: z.string() },
  ...{ eventTypes: z.array(z.string()), integration: z.string(), externalRef: orNull(z.string()) },
  ...{ description: orNull(z.string()), apiVersion: z.string(), state: z.enum(['active', 'disabled']) },
  ...{ disabledReason: orNull(reason), ordering: z.enum(['none', 'subject']), confirmedBy: orNull(z.string()) },
  ...{ personalData: orNull(z.boolean()), createdAt: time, signatures: z.array(signature) },
}
const health = z.strictObject({
  failing: orNull(z.strictObject({ since: time, attempts: count })),
  ...{ nextAttemptAt: orNull(time), personalData: z.boolean() },
  ...{ pausedUntil: orNull(time), disabledAt: orNull(time), oldestPendingAt: orNull(time), retrying: count },
  heldBack: orNull(z.strictObject({ limit: count, reason: z.enum(['new', 'failing', 'full']) })),
  lastAttempt: orNull(z.strictObject({ ...lastAttempt, eventId: z.string(), durationMs: count })),
  hours: z.array(z.strictObject({ at: time, delivered: count, failed: count, durationMs: count })),
})
const subscription = z.strictObject({ ...subscriptionFields, health })
const trouble = z.enum(['disabled', 'paused', 'failing', 'behind', 'slow', 'heldBack'])
const subject = z.strictObject({ type: z.string(), id: z.string(), sequence: count })
const published = z.strictObject({ id: z.string(), type: z.string(), occurredAt: time, subject, repeated: z.boolean() })
const envelope = z.strictObject({
  ...{ id: z.string(), type: z.string(), version: z.string(), occurred_at: time, account, subject },
  ...{ correlation_id: orNull(z.string()), livemode: z.boolean(), data: z.record(z.string(), z.unknown()) },
})
const issue = z.custom<Issue>(
  (value) => z.strictObject({ path: z.string(), code: z.string(), message: z.string() }).safeParse(value).success,
)
const verdict = z.enum(['ok', 'warning', 'problem', 'skipped'])
const finding = z.strictObject({ check: z.string(), verdict, message: z.string(), advice: orNull(z.string()) })
const erased = { events: count, late: count, responses: count }
const erasure = {
  ...erased,
  accounts: z.array(z.strictObject({ accountId: z.string(), ...erased })),
  openTransactions: count,
}
const detail = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])
const action = z.custom<AuditEntry['action']>((value) => /^[a-z_]+\.[a-z_]+$/.test(String(value)))
const entry = z.strictObject({
  ...{ number: count, at: time, action, accountId: orNull(z.string()), mode: orNull(mode) },
  ...{ objectId: orNull(z.string()), details: z.record(z.string(), detail) },
  actor: z.strictObject({ type: z.enum(['key', 'viewer', 'operator', 'platform', 'worker']), id: orNull(z.string()) }),
})
const retirement = z.strictObject({
  ...{ deprecated: orNull(z.string()), sunset: orNull(z.string()), link: orNull(z.string()) },
  enforceSunset: orNull(z.boolean()),
})
const use = z.strictObject({
  ...{ version: z.string(), subscriptions: count, keys: count, servedAs: z.string(), events: orNull(count) },
  retirement: orNull(retirement),
})

const shapes = {
  'accounts create': account,
  'accounts list': paged(account),
  'accounts show': account,
  audit: paged(entry),
  'catalog diff': list(
    z.strictObject({
      ...{ version: z.string(), type: orNull(z.string()), path: orNull(z.string()), message: z.string() },
      breaks: z.boolean(),
    }),
  ),
  'catalog list': list(
    z.strictObject({
      ...{ name: z.string(), title: z.string(), description: orNull(z.string()), family: z.string() },
      ...{ descriptionKey: z.string(), personalDataPaths: z.array(z.string()), personPath: orNull(z.string()) },
    }),
  ),
  'catalog save': z.strictObject({
    versions: z.array(
      z.strictObject({
        ...{ version: z.string(), deprecated: orNull(z.string()), sunset: orNull(z.string()) },
        types: z.array(
          z.strictObject({
            ...{ name: z.string(), title: z.string(), description: orNull(z.string()) },
            ...{ personalDataPaths: z.array(z.string()), schema: z.record(z.string(), z.unknown()) },
          }),
        ),
      }),
    ),
  }),
  'deliveries list': paged(delivery),
  'deliveries resend': z.union([
    z.strictObject({ outcome: z.enum(['scheduled', 'hastened', 'pending']) }),
    z.strictObject({
      ...{ resent: count, waiting: count, nextCursor: orNull(z.string()) },
      found: z.partialRecord(z.enum(['pending', 'retrying', 'exhausted', 'skipped', 'disabled']), count),
    }),
  ]),
  'deliveries show': z.strictObject({ delivery: orNull(delivery), attempts: z.array(attempt) }),
  doctor: z.strictObject({ ok: z.boolean(), findings: z.array(finding) }),
  'erase before': z.strictObject(erasure),
  'erase person': z.strictObject({
    ...erasure,
    unattributed: z.array(z.strictObject({ type: z.string(), events: count })),
  }),
  'events list': z.strictObject({
    ...{ data: z.array(envelope), nextCursor: orNull(z.string()), hasMore: z.boolean() },
  }),
  'events publish': published,
  'events show': envelope,
  init: z.strictObject({
    ...{ framework: z.string(), typescript: z.boolean() },
    ...{ written: z.array(z.string()), skipped: z.array(z.string()) },
    next: z.array(z.strictObject({ what: z.string(), run: z.array(z.string()) })),
  }),
  import: z.strictObject({
    ...{ dryRun: z.boolean(), imported: count, existing: count, duplicate: count, unchecked: count, refused: count },
    lines: z.array(
      z.strictObject({
        ...{ line: count, kind: orNull(z.enum(['account', 'key', 'subscription'])) },
        ...{ outcome: z.enum(['duplicate', 'refused']), issues: z.array(issue) },
      }),
    ),
  }),
  'keys issue': issuedKey,
  'keys list': z.strictObject({ data: z.array(key), nextCursor: orNull(z.string()), hasMore: z.boolean() }),
  'keys move': key,
  'keys revoke': z.strictObject({ ...keyFields, disabledSubscriptions: count }),
  'keys rotate': issuedKey,
  migrate: z.union([z.strictObject({ applied: z.array(z.string()) }), z.strictObject({ sql: z.string() })]),
  'retention run': z.strictObject({
    ...{
      events: count,
      expired: count,
      attempts: count,
      responses: count,
      subscriptions: count,
      auditEntries: count,
      keys: count,
    },
  }),
  status: z.strictObject({
    ...{ ok: z.boolean(), findings: z.array(finding) },
    subscriptions: z.array(z.strictObject({ ...subscriptionFields, health, trouble, since: orNull(time) })),
  }),
  'subscriptions backfill': z.strictObject({
    ...{ state: z.enum(['running', 'done', 'cancelled']), since: time, startedAt: time, reachedAt: orNull(time) },
  }),
  'subscriptions test': z.strictObject({
    ...{ eventId: z.string(), type: z.string(), outcome: z.enum(['delivered', 'failed']), durationMs: count },
    ...{ status: orNull(count), reason: orNull(z.string()), message: orNull(z.string()), response: orNull(z.string()) },
  }),
  'subscriptions create': z.strictObject({ ...subscriptionFields, created: z.boolean(), secret: z.string() }),
  'subscriptions disable': z.strictObject({ id: z.string(), state: z.literal('disabled') }),
  'subscriptions enable': z.strictObject({ id: z.string(), state: z.literal('active') }),
  'subscriptions list': list(subscription),
  'subscriptions move': z.strictObject({ id: z.string(), apiVersion: z.string() }),
  'subscriptions rotate-secret': z.strictObject({ id: z.string(), secret: z.string() }),
  'subscriptions show': subscription,
  trigger: published,
  'versions list': list(use),
  'versions move': z.strictObject({ from: z.string(), to: z.string(), subscriptions: count, keys: count }),
  'versions show': list(z.strictObject(subscriptionFields)),
} as const satisfies Record<keyof JsonOutput, z.ZodType>

/** Compiles only if every document that the schemas accept conforms to the types. */
const conforms: (printed: { readonly [C in keyof typeof shapes]: z.infer<(typeof shapes)[C]> }) => JsonOutput = (
  printed,
) => printed

let receiver: TestReceiver
const words: Record<string, string> = {}

/** Words in braces are replaced: `{sub}` is a subscription with an exhausted delivery of the event `{event}`. */
const LINES: Readonly<Record<keyof JsonOutput, readonly string[]>> = {
  'accounts create': ['acc_2 --name Other'],
  'accounts list': ['', '--limit 1'],
  'accounts show': ['acc_1'],
  audit: ['', '--account acc_1 --mode live', '--of {sub}'],
  'catalog diff': ['{catalog}'],
  'catalog list': [''],
  'catalog save': [''],
  'deliveries list': ['--account acc_1 --subscription {sub}', '--account acc_1 --event {event}'],
  'deliveries resend': ['{sub} {event} --account acc_1', '{sub} --account acc_1 --from 1h'],
  'deliveries show': ['{sub} {event} --account acc_1'],
  doctor: [''],
  'erase before': ['1970-01-02 --account acc_1 --yes'],
  'erase person': ['per_1 --account acc_1 --yes'],
  'events list': ['--account acc_1'],
  'events publish': [
    'order.paid --account acc_1 --subject order:1 --data {"order":{"id":"1","buyer":{"entity_id":"p","email":"a@b.example"}}}',
  ],
  'events show': ['{event} --account acc_1'],
  init: ['--dry-run'],
  import: ['--from {import} --dry-run', '--from {import}'],
  'keys issue': ['--account acc_1 --name CRM'],
  'keys list': ['--account acc_1'],
  'keys move': ['{key} 2026-04-01 --account acc_1'],
  'keys rotate': ['{key} --account acc_1'],
  'keys revoke': ['{key} --account acc_1'],
  migrate: ['', '--sql'],
  'retention run': [''],
  status: [''],
  'subscriptions move': ['{sub} 2026-04-01 --account acc_1'],
  'subscriptions rotate-secret': ['{sub} --account acc_1'],
  'subscriptions list': ['--account acc_1'],
  'subscriptions backfill': ['{sub} --account acc_1 --since 24h', '{sub} --cancel', '{sub}'],
  'subscriptions show': ['{sub} --account acc_1'],
  'subscriptions test': ['{sub} --account acc_1'],
  'subscriptions create': ['--account acc_1 --target https://example.com/ --type order.paid'],
  'subscriptions disable': ['{sub} --account acc_1'],
  'subscriptions enable': ['{sub} --account acc_1'],
  trigger: ['order.paid --account acc_1'],
  'versions list': [''],
  'versions show': ['2026-04-01'],
  'versions move': ['2026-04-01 2026-10-01 --yes'],
}

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.answer('/fails', { status: 500 })
  const { callboard } = world
  const ref = await world.subscribe(receiver.url('/fails'))
  const [event = ''] = await world.publish(1)
  const worker = await startWorker(callboard, { retrySchedule: [1], extraCaCertificates: [receiver.ca] })
  await vi.waitFor(
    async () =>
      expect((await callboard.deliveries.find({ ...ref, subscriptionId: ref.id, eventId: event }))?.state).toBe(
        'exhausted',
      ),
    10_000,
  )
  await worker.stop()
  const catalog = join(tmpdir(), `${ref.id}.json`)
  await writeFile(catalog, '{"versions":[]}')
  const file = join(tmpdir(), `${ref.id}.jsonl`)
  await writeFile(file, '{"kind":"account","id":"acc_3","name":"Third"}\nno JSON\n')
  Object.assign(words, { sub: ref.id, event, catalog, import: file })
})
afterAll(async () => {
  await receiver.stop()
  for (const file of [words['catalog'], words['import']]) await rm(file ?? '', { force: true })
})

describe('callboard --json', () => {
  it('has a documented shape for every command, and a schema that accepts only this shape', () => {
    expect(conforms).toBeTypeOf('function')
    expect(Object.keys(shapes).sort()).toEqual(Object.keys(LINES).sort())
  })

  it.each(Object.entries(LINES).flatMap(([command, lines]) => lines.map((line) => [command, line] as const)))(
    'prints the documented shape: %s %s',
    async (command, line) => {
      const key = await world.callboard.keys.issue({ accountId: 'acc_1', name: 'json', scopes: [] })
      const given: Record<string, string> = { ...words, key: key.id }
      const { stdout, stderr } = await world.run(
        `${command} ${line.replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? '')} --json`
          .split(/ +/)
          .filter(Boolean),
      )
      expect(stdout, stderr).not.toBe('')
      const shape: z.ZodType = shapes[command as keyof typeof shapes]
      expect(shape.safeParse(JSON.parse(stdout)).error?.issues).toBeUndefined()
    },
  )
})
