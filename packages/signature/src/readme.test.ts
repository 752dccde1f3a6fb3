import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { receive } from './example.ts'
import { generateSecret, sign } from './index.ts'

const secret = generateSecret()
const id = 'evt_01jd4k8vb3q6zt0x9m7n2p5rwy'

async function delivery(body: string, signedBody = body): Promise<Request> {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await sign({ id, timestamp, body: signedBody, secret }),
  }
  return new Request('https://receiver.example/hooks', { method: 'POST', headers, body })
}

describe('the example of the README', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  beforeEach(() => log.mockClear())

  it('is the file that these tests run', async () => {
    const example = await readFile(new URL('example.ts', import.meta.url), 'utf8')
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`)
  })

  it('takes a delivery once', async () => {
    const seen = new Set<string>()
    for (const _ of ['first try', 'retry']) {
      const response = await receive(await delivery('{"type":"order.paid"}'), secret, seen)
      expect(response.status).toBe(204)
    }
    expect(log.mock.calls).toEqual([['received', id, { type: 'order.paid' }]])
  })

  it('answers 400 with the code to a forged one', async () => {
    const response = await receive(await delivery('{"total":1}', '{"total":2}'), secret, new Set())
    expect(response.status).toBe(400)
    expect(await response.text()).toBe('SIGNATURE_MISMATCH')
    expect(log).not.toHaveBeenCalled()
  })
})
