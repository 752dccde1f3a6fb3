import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createSilentListener, LOOPBACK_POLICY, TARGET_HOST } from '../../test/loopback-target.ts'
import { createHttpsTransport } from './https-transport.ts'

/**
 * Makes an attempt to a name that has these addresses, at which nothing listens. Returns the addresses to which it
 * tried to connect.
 */
async function attempt(addresses: readonly string[]): Promise<{ reason: string; connected: string[] }> {
  const connected: string[] = []
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (address: string) => connected.push(address))
  }
  const { port, close } = await createSilentListener()
  await close()
  const transport = createHttpsTransport({ addressPolicy: LOOPBACK_POLICY, resolve: async () => addresses })
  subscribe('net.client.socket', onSocket)
  try {
    const url = `https://${TARGET_HOST}:${port}/`
    const outcome = await transport.send({ url, headers: {}, body: new Uint8Array() })
    return { reason: outcome.kind === 'failed' ? outcome.reason : outcome.kind, connected }
  } finally {
    unsubscribe('net.client.socket', onSocket)
    await transport.close()
  }
}

const thousands = Array.from({ length: 4_000 }, (_, index) => `127.1.${index >> 8}.${index & 255}`)

it('connects to no more than four addresses of a family, however many a name has', async () => {
  const mapped = thousands.map((address) => `::ffff:${address}`)
  const { reason, connected } = await attempt([...thousands, ...mapped])
  expect(reason).toBe('connect')
  expect(connected.toSorted()).toEqual([...thousands.slice(0, 4), ...mapped.slice(0, 4)].toSorted())
})

it('connects only once to an address that the answer repeats', async () => {
  const { connected } = await attempt([...Array<string>(1_000).fill('127.0.0.2'), '127.0.0.3'])
  expect(connected).toEqual(['127.0.0.2', '127.0.0.3'])
})

it.each([0, 2_000, 4_000])('blocks the attempt if the address at index %i is outside the policy', async (place) => {
  expect(await attempt(thousands.toSpliced(place, 0, '10.0.0.1'))).toEqual({ reason: 'blocked', connected: [] })
})
