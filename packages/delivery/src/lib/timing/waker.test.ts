import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { createWaker } from './waker.ts'

const LONG_MS = 3_600_000

it('ends a sleep when woken', async () => {
  const waker = createWaker()
  const asleep = waker.sleep(LONG_MS, new AbortController().signal)
  waker.wake()
  await asleep
})

it('does not sleep if it was woken before the sleep', async () => {
  const waker = createWaker()
  waker.wake()
  await waker.sleep(LONG_MS, new AbortController().signal)
})

it('sleeps only briefly just after a publish, because the event may not be visible yet', async () => {
  const waker = createWaker()
  waker.expectWork()
  for (let looks = 0; looks < 3; looks++) await waker.sleep(LONG_MS, new AbortController().signal)
})

it('ends a sleep when the signal aborts, and begins no further sleep', async () => {
  const waker = createWaker()
  const controller = new AbortController()
  const asleep = waker.sleep(LONG_MS, controller.signal)
  controller.abort()
  await asleep
  await waker.sleep(LONG_MS, controller.signal)
})

it('leaves no listeners on the signal', async () => {
  const waker = createWaker()
  const { signal } = new AbortController()
  await waker.sleep(1, signal)
  const asleep = waker.sleep(LONG_MS, signal)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  waker.wake()
  await asleep
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
