// The worker or the publisher of one contender, in a process of its own.
import { setTimeout as delay } from 'node:timers/promises'
import { answer, machineMs } from '../lib/helper.ts'
import { callboardRoles } from './callboard.ts'
import { graphileRoles } from './graphile.ts'
import type { Publisher, RoleOrder } from './roles.ts'

const ROLES = { callboard: callboardRoles, graphile: graphileRoles }

export type RoleAsk =
  | ({ readonly start: 'work' | 'publish'; readonly contender: keyof typeof ROLES } & RoleOrder)
  | { readonly publish: number; readonly aSecond: number }

/** The `webhook-id`, and when publishing began, by the machine's monotonic clock in milliseconds. */
export type Sent = readonly [id: string, at: number]

let publisher: Publisher | undefined
let published = 0

async function publishOne(): Promise<Sent> {
  const at = machineMs()
  return [(await publisher?.(published++)) ?? '', at]
}

answer<RoleAsk, readonly Sent[]>(async (ask) => {
  if ('start' in ask) {
    if (ask.start === 'work') await ROLES[ask.contender].work(ask)
    else publisher = await ROLES[ask.contender].publisher(ask)
    return []
  }
  const sent: Promise<Sent>[] = []
  const startedAt = machineMs()
  for (let due = startedAt; sent.length < ask.publish; due += (2 * Math.random() * 1_000) / ask.aSecond) {
    // No sooner than it is due, and never behind: what was late is made up for.
    await delay(Math.max(0, due - machineMs()))
    sent.push(publishOne())
  }
  return Promise.all(sent)
})
