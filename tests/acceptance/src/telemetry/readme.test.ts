import { readFileSync } from 'node:fs'
import { trace } from '@opentelemetry/api'
import { afterEach, describe, expect, it } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { facadeOptions } from '../on-each-store.ts'
import { memoryFixture } from '../stores.ts'
import { openWatched } from './example.ts'
import { startWatching } from './watching.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const README = read('../../../../packages/opentelemetry/README.md')

afterEach(() => trace.disable())

describe('the README of @callboard/opentelemetry', () => {
  it('shows code that runs', async () => {
    const [example = ''] = [...README.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
    const source = read('example.ts')
    const lines = example.split('\n').filter((line) => line !== '')
    expect(lines).toHaveLength(3)
    for (const line of lines.slice(1)) expect(source).toContain(line)

    const watching = startWatching()
    trace.setGlobalTracerProvider(watching.tracerProvider)
    const callboard = openWatched(facadeOptions(await memoryFixture()))
    await callboard.accounts.create({ id: 'acc', name: 'Acme' })
    await callboard.publish(orderPaidEvent())
    expect(watching.spans('publish order.paid')).toHaveLength(1)
  })

  it('names each metric with its unit', async () => {
    const watching = startWatching()
    watching.telemetry().observe(async () => {
      const postponed = [{ cause: 'version', name: '2026-10-01', lanes: 1 } as const]
      const disabled = { gone: 0, failing: 0, key: 0, account: 0, platform: 0 }
      const backlog = { outbox: 0, outboxAgeMs: 0, laneLagMs: 0, undeliveredMs: 0, retries: 0, pausedLanes: 0 }
      return {
        ...backlog,
        disabled,
        waitingAccounts: 0,
        heldBackHosts: 0,
        postponed,
        replica: { lagMs: 0, usable: true },
      }
    })
    const units = Object.entries(await watching.units())
    expect(units).not.toEqual([])
    for (const [name, unit] of units)
      expect(README).toMatch(new RegExp(`\\| \`${name}\`[^|]*\\| [a-z -]+, \`${unit}\` \\|`))
  })
})
