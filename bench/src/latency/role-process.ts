// The worker or the publisher of one contender, in a process of its own.
import { setTimeout as delay } from 'node:timers/promises'
import { answer, type Helper, machineMs } from '../lib/helper.ts'
import type { Publisher, RoleOrder, Timed } from './roles.ts'

/** A process imports only its own contender. */
const ROLES = {
  callboard: async () => (await import('./callboard.ts')).callboardRoles,
  graphile: async () => (await import('./graphile.ts')).graphileRoles,
  floor: async () => (await import('./floor.ts')).floorRoles,
}

export type RoleAsk =
  | ({ readonly start: 'work' | 'publish'; readonly contender: keyof typeof ROLES } & RoleOrder)
  | { readonly publish: number; readonly aSecond: number }
  | { readonly how: 'took it' }

/**
 * The event's `webhook-id`, and when its publishing began and ended, in milliseconds of the machine's monotonic clock.
 */
export type Sent = readonly [id: string, at: number, answeredAt: number]

export interface RoleAnswer {
  readonly sent: readonly Sent[]
  /** For each step of the worker, the milliseconds of every run since these times were last requested. */
  readonly steps: Readonly<Record<string, readonly number[]>>
}

/** The process as a section controls it. */
export type Role = Helper<RoleAsk, RoleAnswer>

let publisher: Publisher | undefined
let published = 0

async function publishOne(): Promise<Sent> {
  const at = machineMs()
  const id = (await publisher?.(published++)) ?? ''
  return [id, at, machineMs()]
}

let steps: Record<string, number[]> = {}

const timed: Timed = async (step, take) => {
  const at = machineMs()
  const result = await take()
  const name = step(result)
  steps[name] ??= []
  steps[name].push(machineMs() - at)
  return result
}

answer<RoleAsk, RoleAnswer>(async (ask) => {
  if ('start' in ask) {
    const roles = await ROLES[ask.contender]()
    if (ask.start === 'work') await roles.work(ask, timed)
    else publisher = await roles.publisher(ask)
    return { sent: [], steps: {} }
  }
  if ('how' in ask) {
    const taken = steps
    steps = {}
    return { sent: [], steps: taken }
  }
  const sent: Promise<Sent>[] = []
  const startedAt = machineMs()
  for (let due = startedAt; sent.length < ask.publish; due += (2 * Math.random() * 1_000) / ask.aSecond) {
    // If one event is published late, the later events are still due at their own times, so the average rate stays the
    // same.
    await delay(Math.max(0, due - machineMs()))
    sent.push(publishOne())
  }
  return { sent: await Promise.all(sent), steps: {} }
})
