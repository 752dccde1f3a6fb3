import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { generateSecret, sign } from '@callboard/signature'
import { freePort } from '@callboard/testbed'
import { expect, it } from 'vitest'

it.each(['receive.ts', 'receive-standard.ts'])(
  'the receiver in Node accepts a delivery signed with its secret and rejects a forged one: %s',
  async (name) => {
    const [port, secret] = [String(await freePort()), generateSecret()]
    const file = fileURLToPath(new URL(name, import.meta.url))
    const env = { ...process.env, PORT: port, WEBHOOK_SECRET: secret }
    const receiver = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(receiver.stdout, 'data')
      const body = JSON.stringify({ id: 'evt_1', type: 'order.paid', data: { order: { id: 'ord_1' } } })
      const [id, timestamp] = ['evt_1', Math.floor(Date.now() / 1_000)]
      const signature = await sign({ id, timestamp, body, secret })
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
      const post = async (sent: string): Promise<number> =>
        (await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body: sent })).status
      expect(await post(body)).toBe(204)
      expect(await post(body.replace('ord_1', 'ord_2'))).toBe(400)
    } finally {
      receiver.kill('SIGKILL')
    }
  },
)
