import { isCallboardError } from '@callboard/core'
import type { Shop } from './shop.ts'

const EVERY_MS = 20_000

export const BUYERS = [
  { name: 'Ada Lindqvist', email: 'ada.lindqvist@example.com' },
  { name: 'Bo Nakamura', email: 'bo.nakamura@example.com' },
  { name: 'Chidi Okafor', email: 'chidi.okafor@example.com' },
  { name: 'Dina Haddad', email: 'dina.haddad@example.com' },
]
export const EVENTS = ['Jazz Night at the Old Brewery', 'Open-Air Cinema', 'Sourdough for Beginners']

export interface Simulation {
  /** Stops selling. Resolves once the sale in progress has ended. */
  stop(): Promise<void>
}

/** Sells a few tickets a minute, the first one at once, and checks somebody in after every third sale. */
export function startSimulation(shop: Shop, onError: (error: unknown) => void): Simulation {
  let count = 0
  const step = async (): Promise<void> => {
    try {
      const buyer = BUYERS[count % BUYERS.length]
      const eventName = EVENTS[count % EVENTS.length]
      await shop.sell({ eventName, buyer, lines: [{ quantity: 1 + (count % 3) }] })
      if (++count % 3 === 0) await shop.checkIn({})
    } catch (error) {
      // `NOT_FOUND` is expected: somebody may have checked everybody in by hand.
      if (!isCallboardError(error, 'NOT_FOUND')) onError(error)
    }
  }
  let running = step()
  const timer = setInterval(() => {
    running = running.then(step)
  }, EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return running
    },
  }
}
