// The process that `startReceiverProcess` starts: runs a receiver, writes its log and answers its parent.
import { openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { LoggedRequest, PlainAnswer, ReceiverRequest } from './receiver-process.ts'
import { type Answer, type Received, startReceiver, type TestReceiver } from './test-receiver.ts'

let receiver: TestReceiver

function toLine({ path, headers, body, at }: Received, answer: Answer): string {
  const kept = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const request: LoggedRequest = {
    path,
    id: String(headers['webhook-id']),
    headers: kept,
    body: body.toString('utf8'),
    at,
    status: typeof answer === 'string' || 'misbehave' in answer ? null : (answer.status ?? 200),
  }
  return `${JSON.stringify(request)}\n`
}

/** A delay begins when its request arrives. */
function toAnswer(answer: PlainAnswer): Answer | (() => Answer) {
  if (typeof answer === 'string') return answer
  const { delayMs = 0, ...rest } = answer
  return delayMs === 0 ? rest : () => ({ ...rest, after: delay(delayMs) })
}

async function reply(request: ReceiverRequest): Promise<unknown> {
  switch (request.ask) {
    case 'start': {
      const log = openSync(request.logFile, 'a')
      receiver = await startReceiver({ onReceived: (received, answer) => writeSync(log, toLine(received, answer)) })
      return { ca: receiver.ca, origin: receiver.url('') }
    }
    case 'answer':
      return receiver.answer(request.path, ...request.answers.map(toAnswer))
    case 'received':
      return void (await receiver.received(request.path, request.count))
    case 'most at once':
      return receiver.mostAtOnce(request.path)
  }
}

process.on('message', async ({ number, request }: { number: number; request: ReceiverRequest }) => {
  process.send?.({ number, result: await reply(request) })
})
// The process ends when its test does.
process.once('disconnect', () => process.exit())
