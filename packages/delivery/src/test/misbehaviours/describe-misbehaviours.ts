import type { Runtime } from '@callboard/runtimes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TARGET_HOST } from '../loopback-target.ts'
import { fillCertificateChest } from './certificate-chest.ts'
import { type ExchangeProcess, runExchanges } from './exchange-process.ts'
import { type HostileServer, startHostileServer } from './hostile-server.ts'
import { type Expected, type Misbehaviour, OK, says } from './misbehaviour.ts'

/** The deadline of attempts to targets that hang. */
const SHORT_DEADLINE_MS = 2_500
/** How much later than its deadline an attempt may end on a busy machine. */
const SLACK_MS = 2_500
/**
 * How long an attempt to a target that does not hang may take. It is shorter than the attempt's deadline, so an attempt
 * that ends only at its deadline fails the test.
 */
const PROMPT_MS = 15_000
const LATE = { deadlineMs: 1_000, stallMs: 2_500 }

/** Tests one runtime: a separate process sends to each misbehaving server, and after each one to a good server. */
export function describeMisbehaviours(
  runtime: Runtime,
  groups: Readonly<Record<string, readonly Misbehaviour[]>>,
): void {
  const all = Object.values(groups).flat()
  const servers = new Map<Misbehaviour, HostileServer>()
  const others: HostileServer[] = []
  let program: ExchangeProcess

  beforeAll(async () => {
    const chest = await fillCertificateChest()
    const url = ({ port }: HostileServer): string => `https://${TARGET_HOST}:${port}/hook`
    for (const each of all) {
      servers.set(each, await startHostileServer(each, { ...chest.of[each.certificate ?? 'good'], ...each.tls }))
    }
    const good = await startHostileServer({ act: says(OK) }, chest.of.good)
    const late = await startHostileServer(
      { act: ({ socket, nth }) => void setTimeout(() => socket.write(OK), nth === 1 ? 0 : LATE.deadlineMs / 2) },
      chest.of.good,
    )
    others.push(good, late)
    program = await runExchanges(runtime, {
      ca: chest.ca,
      good: url(good),
      late: { url: url(late), ...LATE },
      // Fewer on Deno, which takes a tenth of a second per connection to read all root certificates.
      atOnce: runtime.name === 'Deno' ? 8 : 24,
      shortDeadlineMs: SHORT_DEADLINE_MS,
      targets: [...servers].map(([{ name, expected, hangs = false, pause = false }, server]) => ({
        name,
        url: url(server),
        sends: expected.length,
        hangs,
        pause,
      })),
    })
  })
  afterAll(() => Promise.all([...servers.values(), ...others].map((server) => server.stop())))

  describe.each(Object.entries(groups))('%s', (_group, misbehaviours) => {
    it.each(misbehaviours)('withstands a target that $name', async (misbehaviour) => {
      const { name, hangs = false, never, requests, connections } = misbehaviour
      const expected = misbehaviour.on?.[runtime.name] ?? misbehaviour.expected
      const { outcomes, after } = program.reports.get(name) ?? { outcomes: [] }
      expect(outcomes).toEqual(expected.map(outcomeOf))
      expect(after).toBe(200)
      const limit = hangs ? SHORT_DEADLINE_MS + SLACK_MS : PROMPT_MS
      for (const { durationMs } of outcomes) expect(durationMs).toBeLessThan(limit)
      const server = servers.get(misbehaviour)
      if (requests !== undefined) expect(server?.requests).toHaveLength(requests)
      if (connections !== undefined) expect(server?.connections()).toBe(connections)
      if (never !== undefined) expect(server?.requests.join('')).not.toMatch(never)
      const mayKeep = outcomes.at(-1)?.kind === 'response' ? 1 : 0
      await server?.openAtMost(mayKeep)
    })
  })

  it('accepts an answer that arrived in time, even if the process stalled past the deadline', () => {
    expect(program.reports.get('late')?.outcomes).toEqual([outcomeOf({ status: 200, body: 'ok' })])
  })

  it('leaves no connection open after `close`, and lets the process exit normally', async () => {
    program.closeConnections()
    await Promise.all([...servers.values(), ...others].map((server) => server.openAtMost(0)))
    expect(await program.exit()).toMatchObject({ code: 0 })
  })
}

function outcomeOf(expected: Expected): unknown {
  if (typeof expected === 'number') return expect.objectContaining({ kind: 'response', status: expected })
  if (typeof expected === 'string') return expect.objectContaining({ kind: 'failed', reason: expected })
  if (!isReasons(expected)) return expect.objectContaining({ kind: 'response', ...expected })
  return expect.objectContaining({ kind: 'failed', reason: expect.stringMatching(`^(${expected.join('|')})$`) })
}

function isReasons(expected: Exclude<Expected, number | string>): expected is readonly [never, ...never[]] {
  return Array.isArray(expected)
}
