import { expect, it } from 'vitest'
import { createStoreClock } from './store-clock.ts'

it('follows the store’s time if that differs by more than a second, and reports it once', () => {
  const told: number[] = []
  let time = 1_000_000
  const clock = createStoreClock(
    () => time,
    (offMs) => told.push(offMs),
  )
  clock.compare(new Date(1_000_950), time, time)
  expect([clock.now(), clock.offMs()]).toEqual([1_000_000, 0])
  // The store read its clock somewhere within these five seconds, so the clocks may agree.
  clock.compare(new Date(1_004_000), time, time + 5_000)
  expect(clock.now()).toBe(1_000_000)
  for (let calls = 0; calls < 2; calls++) clock.compare(new Date(time + 3_600_000), time, time)
  time += 500
  expect(clock.now()).toBe(4_600_500)
  clock.compare(new Date(time - 3_600_000), time, time)
  expect([clock.now(), clock.offMs()]).toEqual([time - 3_600_000, -3_600_000])
  clock.compare(new Date(time), time, time)
  expect(clock.now()).toBe(time)
  expect(told).toEqual([3_600_000])
})
