import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startExample } from '@callboard-examples/smoke'
import { expect, it } from 'vitest'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

it('the demo receiver prints a ticket that a running platform sells, and unsubscribes on Ctrl-C', {
  timeout: 240_000,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'callboard-demo-'))
  const platform = await startExample({ command: [process.execPath, 'examples/node/src/main.ts'], dataDir })
  const { PATH } = process.env
  const receiver = spawn(process.execPath, [main], { env: { PATH, DATA_DIR: dataDir, RECEIVER_PORT: '0' } })
  try {
    let output = ''
    const printed = (text: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (chunk = ''): void => {
          output += chunk
          if (output.includes(text)) resolve()
        }
        look()
        for (const stream of [receiver.stdout, receiver.stderr]) stream.on('data', look)
      })
    await printed('Ctrl-C unsubscribes')
    const event = await platform.sell()
    await printed(`verified order.paid  ${event}`)

    // Waits for `close`, because `exit` can come before the last of the output.
    const closed = once(receiver, 'close')
    receiver.kill('SIGINT')
    const [code] = await closed
    expect(code).toBe(0)
    expect(output).toMatch(/Unsubscribed sub_\w+\.\n$/)
  } finally {
    receiver.kill('SIGKILL')
    await platform.signal('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
})
