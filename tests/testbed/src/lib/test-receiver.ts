import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { makeCertificate } from './test-certificate.ts'

/** One received request. */
export interface Received {
  /** Path and query. */
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The bytes of the body, unparsed. */
  readonly body: Buffer
  /** When the body was complete, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * A receiver's reaction to a request: it answers, never answers, drops the connection, or misbehaves on the connection.
 */
export type Answer = 'hold' | 'drop' | AnswerWithStatus | Misbehaving

export interface Misbehaving {
  /** Takes over the connection instead of answering. */
  readonly misbehave: (socket: Socket) => void
}

export interface AnswerWithStatus {
  /** 200 by default. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Empty by default. */
  readonly body?: string | undefined
  /** The answer is sent once this promise has resolved. */
  readonly after?: Promise<unknown> | undefined
  /** Closes the connection in the middle of the body, after announcing more bytes than it sends. */
  readonly breakOff?: boolean | undefined
}

export interface TestReceiver {
  /** The certificate to trust. */
  readonly ca: string
  /** Every request, in order of completion. Append-only. */
  readonly log: readonly Received[]
  url(path: string): string
  /** The log of one path. */
  at(path: string): readonly Received[]
  /**
   * Sets the responses to the next requests to a path, in order. The last response repeats. By default, the response is
   * a 200.
   */
  answer(path: string, ...answers: readonly (Answer | ((request: Received) => Answer))[]): void
  /**
   * Resolves with the first `count` requests (1 by default) to a path since the receiver started, once they have
   * arrived.
   */
  received(path: string, count?: number): Promise<readonly Received[]>
  /** The highest number of requests to a path that were open at the same time. */
  mostAtOnce(path: string): number
  stop(): Promise<void>
}

export interface ReceiverOptions {
  /** Called with each request and its answer, before the answer is sent. */
  readonly onReceived?: ((request: Received, answer: Answer) => void) | undefined
}

/**
 * Starts a real HTTPS server on 127.0.0.1 (also `localhost`) that has its own certificate and logs what it receives.
 */
export async function startReceiver({ onReceived }: ReceiverOptions = {}): Promise<TestReceiver> {
  const pems = await makeCertificate()
  const log: Received[] = []
  const paths = new Map<string, Received[]>()
  const scripts = new Map<string, (Answer | ((request: Received) => Answer))[]>()
  const open = new Map<string, { now: number; most: number }>()
  const sockets = new Set<Socket>()
  let waiting: { readonly path: string; readonly count: number; readonly end: () => void }[] = []
  const at = (path: string): Received[] => {
    const received = paths.get(path) ?? []
    paths.set(path, received)
    return received
  }

  const nextAnswer = (request: Received): Answer => {
    const script = scripts.get(request.path) ?? []
    const answer = (script.length > 1 ? script.shift() : script[0]) ?? {}
    return typeof answer === 'function' ? answer(request) : answer
  }

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? ''
    const count = open.get(path) ?? { now: 0, most: 0 }
    open.set(path, count)
    count.most = Math.max(count.most, ++count.now)
    let isOpen = true
    const end = (): void => {
      if (isOpen) count.now--
      isOpen = false
    }
    response.once('close', end)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', headers } = request
    const received = {
      path,
      method,
      headers,
      body: Buffer.concat(chunks),
      at: performance.timeOrigin + performance.now(),
    }
    log.push(received)
    at(path).push(received)
    const answer = nextAnswer(received)
    onReceived?.(received, answer)
    const done = waiting.filter((each) => at(each.path).length >= each.count)
    waiting = waiting.filter((each) => !done.includes(each))
    for (const { end: tell } of done) tell()
    if (answer === 'hold') return
    if (typeof answer === 'object' && 'misbehave' in answer) return answer.misbehave(request.socket)
    if (answer !== 'drop') await answer.after
    // Counts the request as ended now, because the client can send its next one before `close` is emitted.
    end()
    if (answer === 'drop') request.socket.destroy()
    else respond(response, answer)
  }

  const server = createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    // A request that breaks off is not recorded.
    receive(request, response).catch(() => undefined)
  })
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    ca: pems.cert,
    log,
    url: (path) => `https://127.0.0.1:${port}${path}`,
    at,
    answer: (path, ...answers) => void scripts.set(path, [...answers]),
    async received(path, count = 1) {
      if (at(path).length < count) await new Promise<void>((end) => waiting.push({ path, count, end }))
      return at(path).slice(0, count)
    },
    mostAtOnce: (path) => open.get(path)?.most ?? 0,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function respond(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', breakOff = false }: AnswerWithStatus,
): void {
  if (!breakOff) return void response.writeHead(status, headers).end(body)
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body) + 1) })
  response.write(body, () => response.destroy())
}
