// Calls every method of the client on whichever runtime runs this program, and prints the results.
import { readFileSync } from 'node:fs'
import { CallboardApiError, createClient } from '@callboard/client'
import type { SampleCatalog } from '../sample-catalog.ts'

export interface Calls {
  readonly account: string
  readonly types: readonly string[]
  readonly events: number
  readonly orders: readonly string[]
  readonly pages: readonly number[]
  readonly feed: readonly number[]
  readonly followed: number
  readonly same: boolean
  readonly updated: string
  readonly rotated: boolean
  readonly tested: string
  readonly state: string
  readonly resent: readonly unknown[]
  readonly listed: readonly string[]
  readonly event: string
  readonly sources: readonly string[]
  readonly backfills: readonly string[]
  readonly unknown: string
  readonly aborted: string
}

const options: { baseUrl: string; apiKey: string } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const client = createClient<SampleCatalog>(options)

const codeOf = (error: unknown): string => (error instanceof CallboardApiError ? error.code : String(error))
const orders: string[] = []
for await (const { subject, data } of client.events({ type: 'order.paid', limit: 2 }))
  orders.push(`${subject.id} ${data.order.buyer.email}`)
let events = 0
for await (const _ of client.events()) events += 1
const pages: number[] = []
for await (const { data } of client.events({ limit: 2 }).pages()) pages.push(data.length)

const fed: number[] = []
const start = await client.events.feed({ since: '2020-01-01T00:00:00Z', limit: 2 })
for (let page = start; page.data.length > 0; page = await client.events.feed({ after: page.nextCursor, limit: 2 }))
  fed.push(page.data.length)
let followed = 0
for await (const _ of client.events.follow({ since: '2020-01-01T00:00:00Z' })) {
  followed += 1
  if (followed === events) break
}

const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], externalRef: 'flow' } as const
const first = await client.subscriptions.create(input)
const again = await client.subscriptions.create(input)
const [newest] = (await client.events({ limit: 1 }).page()).data
const eventId = newest?.id ?? ''
const { outcome } = await client.subscriptions.resend(first.id, eventId)
const range = await client.subscriptions.resendRange(first.id, { since: '2026-01-01T00:00:00Z' })
const [delivery] = (await client.subscriptions.deliveries(first.id, { eventId }).page()).data
const resent = [outcome, range.resent, delivery?.state, delivery?.lastAttempt]
for await (const attempt of client.subscriptions.attempts(first.id, eventId)) resent.push(attempt)
const listed: string[] = []
for await (const { externalRef = '' } of client.subscriptions.list({ targetUrl: input.targetUrl, limit: 1 }))
  listed.push(externalRef)
const { type: event } = await client.events.get(eventId)
const backfills = [
  await client.subscriptions.startBackfill(first.id, { since: '2026-01-01T00:00:00Z' }),
  await client.subscriptions.getBackfill(first.id),
  await client.subscriptions.cancelBackfill(first.id),
].map(({ since, state }) => `${since} ${state}`)
const changes = { targetUrl: 'https://hooks.example.com/2', externalRef: null, state: 'disabled' } as const
const { targetUrl, externalRef } = await client.subscriptions.update(first.id, changes)
const { state, secretVersion } = await client.subscriptions.get(first.id)
const rotation = { secretVersion, overlapSeconds: 60 }
const rotated = await client.subscriptions.rotateSecret(first.id, rotation)
const repeated = await client.subscriptions.rotateSecret(first.id, rotation)
const test = client.subscriptions.sendTest(first.id, { type: 'order.paid' })
const tested = await test.then(({ outcome }) => outcome, codeOf)
for (const _ of ['removed', 'removed again']) await client.subscriptions.remove(first.id)

const calls: Calls = {
  account: (await client.me()).entity.name,
  types: (await client.eventTypes()).data.map(({ type }) => type),
  events,
  orders,
  pages,
  feed: fed,
  followed,
  same: first.secret === again.secret && first.id === again.id && !again.created,
  updated: `${targetUrl} ${externalRef}`,
  tested,
  rotated: rotated.secret !== first.secret && rotated.secret === repeated.secret,
  state,
  resent,
  listed,
  event,
  sources: (await client.sourceAddresses()).data,
  backfills,
  unknown: await client.subscriptions.remove('sub_unknown').then(() => 'removed', codeOf),
  aborted: await client.me({ signal: AbortSignal.abort('no longer') }).then(() => 'answered', codeOf),
}
process.stdout.write(JSON.stringify(calls))
