// The worker or the publisher of one contender, in a process of its own.
import { setTimeout as delay } from 'node:timers/promises'
import { answer, type Helper, machineMs } from '../lib/helper.ts'
import { type Memory, memory } from './memory.ts'
import type { Publisher, RoleOrder, Timed } from './roles.ts'

/** A process loads only its own role, because the memory of a worker is measured. */
const ROLES = {
  callboard: async () => (await import('./callboard.ts')).callboardRoles,
  graphile: async () => (await import('./graphile.ts')).graphileRoles,
}

export type RoleAsk =
  | ({ readonly start: 'work' | 'publish'; readonly contender: keyof typeof ROLES } & RoleOrder)
  | { readonly publish: number; readonly aSecond: number }
  | { readonly how: 'took it' }
  | { readonly how: 'much memory' }

/** The `webhook-id`, and when publishing began and returned, in milliseconds of the machine's monotonic clock. */
export type Sent = readonly [id: string, at: number, answeredAt: number]

export interface RoleAnswer {
  readonly sent: readonly Sent[]
  /** Milliseconds that each step took, since this was last asked. */
  readonly steps: Readonly<Record<string, readonly number[]>>
  /** Set if it was asked for. */
  readonly memory?: Memory | undefined
}

/** The handle of a section on this process. */
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
    if (ask.how === 'much memory') return { sent: [], steps: {}, memory: memory() }
    const taken = steps
    steps = {}
    return { sent: [], steps: taken }
  }
  const sent: Promise<Sent>[] = []
  const startedAt = machineMs()
  for (let due = startedAt; sent.length < ask.publish; due += (2 * Math.random() * 1_000) / ask.aSecond) {
    // A late event does not shift the next due time, so the average rate holds.
    await delay(Math.max(0, due - machineMs()))
    sent.push(publishOne())
  }
  return { sent: await Promise.all(sent), steps: {} }
})
