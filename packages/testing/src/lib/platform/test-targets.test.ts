import { expect, it } from 'vitest'
import { createTestTargets } from './test-targets.ts'

it('reports a receiver that hangs, and how to say so', async () => {
  const { target, answer } = createTestTargets(10)
  const url = 'https://shop.example/hook'
  target(url).answers(() => new Promise(() => undefined))
  await expect(answer({ url, headers: {}, body: '{}' })).rejects.toThrow(
    "The answer of https://shop.example/hook took longer than 10 ms. For a target that hangs: answers('timeout').",
  )
})

it('takes a Response of another class', async () => {
  const { target, answer } = createTestTargets()
  const url = 'https://shop.example/hook'
  const other = { status: 429, headers: new Headers({ 'retry-after': '9' }), text: async () => 'slow down' }
  target(url).answers(() => other as never)
  const outcome = await answer({ url, headers: {}, body: '{}' })
  expect(outcome).toMatchObject({ status: 429, retryAfter: '9', body: 'slow down' })
})

it('gives a store only text that it accepts', async () => {
  const { target, answer } = createTestTargets()
  const url = 'https://shop.example/hook'
  target(url).answers(() => new Response(`a\0${'🦜'.repeat(4_000)}`, { status: 500 }))
  const outcome = await answer({ url, headers: {}, body: '{}' })
  expect(outcome).toMatchObject({ status: 500, truncated: true, body: expect.stringMatching(/^a\ufffd🦜+\ufffd?$/u) })
})
