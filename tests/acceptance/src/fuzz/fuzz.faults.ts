import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryFixture, postgresFixtures } from '../stores.ts'
import { checkAnswer, checkLeaks, keyOf } from './answers.ts'
import { fuzz, seeded } from './fuzz.ts'
import { createFuzzedPlatform } from './fuzzed-platform.ts'
import { exchange, toBytes, wires } from './raw-request.ts'
import { requests } from './requests.ts'

/** The statuses that Node itself returns for malformed requests, before any handler runs. */
const NODES_OWN = [400, 408, 413, 417, 431]

describe('any request to /v1', () => {
  it('is answered in the documented shape, without an error or a leak [memory]', async () => {
    await fuzz('fuzz of memory', await memoryFixture(), 16_000)
  })

  describe('[postgres]', () => {
    const fixtures = postgresFixtures()

    it('is answered in the documented shape, without an error or a leak', async () => {
      const fixture = await fixtures()
      await fuzz('fuzz of Postgres', fixture, 3_000)
      await fixture.cleanup()
    })
  })

  it('that is sent as raw bytes gets a response or a closed connection, but no internal error', async () => {
    const platform = await createFuzzedPlatform(await memoryFixture())
    const server = createServer(getRequestListener(platform.fetch))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const tally = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(requests(platform), wires, async (request, wire) => {
        const sent = toBytes(platform, request, wire)
        const { answer, all } = await exchange(port, sent)
        const ours = answer?.headers.get('x-request-id') != null
        const kind = answer === undefined ? 'closed' : ours ? 'ours' : `Node's ${answer.status}`
        tally.set(kind, (tally.get(kind) ?? 0) + 1)
        // A smuggled second request would have no key, so its response must not leak anything either.
        checkLeaks(platform, keyOf(platform, request), all)
        if (answer === undefined || !ours) {
          if (answer !== undefined) expect(NODES_OWN).toContain(answer.status)
          // A client that is still sending when its request is refused may not receive the response.
          else expect(sent.intact && sent.bytes.length < 60_000, 'closed without an answer').toBe(false)
          expect(platform.takeTold().errors).toEqual([])
          return
        }
        expect(answer.status).toBeLessThan(500)
        if (!sent.intact) return
        const pathname = new URL(`http://api.example.com${request.path}`).pathname
        checkAnswer(platform, request, pathname, answer)
      }),
      seeded('fuzz over a socket', 4_000),
    )
    console.info(`fuzz over a socket: ${[...tally].map(([kind, count]) => `${kind}×${count}`).join(' ')}`)
    expect(await platform.untouched()).toBe(true)
    await new Promise((closed) => server.close(closed))
  })
})
