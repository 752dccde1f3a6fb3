// The worker or the publisher of one contender, in a process of its own.
import { setTimeout as delay } from 'node:timers/promises'
import { answer, machineMs } from '../lib/helper.ts'
import type { Publisher, RoleOrder } from './roles.ts'

/** A process imports only its own contender. */
const ROLES = {
  callboard: async () => (await import('./callboard.ts')).callboardRoles,
  graphile: async () => (await import('./graphile.ts')).graphileRoles,
}
export type Contender = keyof typeof ROLES

/** The event's `webhook-id`, and when its publishing began, in milliseconds of the machine's monotonic clock. */
type Sent = readonly [id: string, at: number]

let publisher: Publisher | undefined
let published = 0

async function publishOne(): Promise<Sent> {
  const at = machineMs()
  return [(await publisher?.(published++)) ?? '', at]
}

const replies = {
  async work(contender: Contender, order: RoleOrder): Promise<void> {
    await (await ROLES[contender]()).work(order)
  },
  async openPublisher(contender: Contender, order: RoleOrder): Promise<void> {
    publisher = (await ROLES[contender]()).publisher(order)
  },
  /** Publishes events at random moments, on average `aSecond` per second. */
  async publish(events: number, aSecond: number): Promise<Sent[]> {
    const sent: Promise<Sent>[] = []
    // If one event is published late, the later events are still due at their own times, so the average rate stays the
    // same.
    for (let due = machineMs(); sent.length < events; due += (2 * Math.random() * 1_000) / aSecond) {
      await delay(Math.max(0, due - machineMs()))
      sent.push(publishOne())
    }
    return Promise.all(sent)
  },
}
export type RoleReplies = typeof replies

answer(replies)
