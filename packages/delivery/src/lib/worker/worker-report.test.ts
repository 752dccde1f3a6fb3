import type { HeldBackHost, LearntLimits } from '@callboard/core/store'
import { expect, it } from 'vitest'
import { createReports, reportOf } from './worker-report.ts'

const NONE_HELD = { list: () => [] }
const RIGHT = { offMs: () => 0 }

it('returns the same report for a second, whatever changes meanwhile, so that the store writes it only once', () => {
  let time = 500
  let waiting = 0
  const scheduler = {
    state: () => ({ sending: 0, waiting: ++waiting, accounts: 1 }),
    heldBack: (): HeldBackHost[] => [],
    limits: (): LearntLimits => [['hooks.example.com', 90]],
  }
  const report = createReports(
    () => ({ ...reportOf(scheduler, NONE_HELD, RIGHT), limits: scheduler.limits() }),
    () => time,
  )
  const first = report()
  time += 999
  expect(report()).toBe(first)
  time += 1
  expect(report()).toEqual({ waiting: { lanes: 2, accounts: 1 }, heldBack: [], limits: [['hooks.example.com', 90]] })
})

it('names the 50 hosts with the most waiting lanes', () => {
  const hosts = Array.from({ length: 60 }, (_, index): HeldBackHost => {
    return { host: `h${index}`, limit: 4, reason: 'new', lanes: 100 - index }
  })
  const state = () => ({ sending: 0, waiting: 900, accounts: 1 })
  expect(reportOf({ state, heldBack: () => hosts }, NONE_HELD, RIGHT).heldBack).toEqual(hosts.slice(0, 50))
})
