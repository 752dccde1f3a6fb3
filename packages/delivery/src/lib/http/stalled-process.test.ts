import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RUNTIMES } from '@callboard/runtimes'
import { startHandshakeGate } from '@callboard/testbed'
import { expect, it } from 'vitest'
import { createLoopbackTarget, TARGET_HOST } from '../../test/loopback-target.ts'
import type { StallPlan, StallReport } from '../../test/stalls/stall-program.ts'

const program = fileURLToPath(new URL('../../test/stalls/stall-program.ts', import.meta.url))
/** Long enough for a busy runtime to begin two handshakes. */
const SHORT_MS = 3_000

it.concurrent.each(RUNTIMES)(
  'a process on $name that is stopped during a handshake sends nothing after its deadline or lease has ended',
  async ({ command, args }) => {
    const target = await createLoopbackTarget()
    const gate = await startHandshakeGate(target.port)
    const plan: StallPlan = { ca: target.ca, url: `https://${TARGET_HOST}:${gate.port}/hook`, shortMs: SHORT_MS }
    const child = spawn(command, [...args, program, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [report, exited] = [text(child.stdout), once(child, 'exit')]
    try {
      await gate.holds(2)
      child.kill('SIGSTOP')
      await gate.open()
      await delay(SHORT_MS)
      child.kill('SIGCONT')
      const { deadline, lease }: StallReport = JSON.parse(await report)
      expect(deadline).toMatchObject({ kind: 'failed', reason: 'timeout' })
      expect(lease).toMatchObject({ kind: 'failed', reason: 'aborted' })
      await target.idle()
      expect(target.received).toEqual([])
    } finally {
      child.kill('SIGKILL')
      await exited
      await gate.stop()
      await target.close()
    }
  },
)
