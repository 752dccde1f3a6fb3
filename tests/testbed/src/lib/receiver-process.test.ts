import { request } from 'node:https'
import { expect, it } from 'vitest'
import { type ReceiverProcess, startReceiverProcess } from './receiver-process.ts'

function post(receiver: ReceiverProcess, path: string, id: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', ca: receiver.ca, headers: { 'webhook-id': id } }
    request(receiver.url(path), options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end('{}')
  })
}

it('answers from another process as configured, and logs each request before answering it', async () => {
  const receiver = await startReceiverProcess()
  await receiver.answer('/a', { status: 500, delayMs: 1 }, 'drop', {})
  expect(await post(receiver, '/a', 'one')).toBe(500)
  await expect(post(receiver, '/a', 'two')).rejects.toThrow('socket hang up')
  expect(await post(receiver, '/a', 'three')).toBe(200)
  expect(await post(receiver, '/b', 'four')).toBe(200)
  await receiver.received('/a', 3)
  expect(await receiver.log('/a')).toMatchObject([
    { path: '/a', id: 'one', status: 500, body: '{}' },
    { id: 'two', status: null },
    { id: 'three', status: 200 },
  ])
  expect(await receiver.log()).toHaveLength(4)
  expect(await receiver.mostAtOnce('/a')).toBe(1)
  await receiver.stop()
})
