import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '@callboard/signature'
import { generate } from 'selfsigned'
import * as z from 'zod'

const envelope = z.looseObject({ id: z.string(), type: z.string(), data: z.looseObject({}) })

export interface Target {
  readonly url: string
  /** The file with the target's certificate, for `NODE_EXTRA_CA_CERTS`. */
  readonly certificateFile: string
  /** Sets the secret with which deliveries are verified. Deliveries that arrive earlier wait for it. */
  trust(secret: string): void
  /** Accepts deliveries from now on, but does not answer them. */
  hold(): void
  /** Answers deliveries again. */
  answer(): void
  /** Resolves once the event has arrived with a valid signature. Rejects if an invalid request arrives first. */
  received(id: string): Promise<z.output<typeof envelope>>
  /** The number of times that the event has arrived. */
  countOf(id: string): number
  close(): Promise<void>
}

/** Starts a customer's HTTPS server. Only a process that is configured with `certificateFile` trusts it. */
export async function startTarget(): Promise<Target> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  const folder = await mkdtemp(join(tmpdir(), 'callboard-target-'))
  const certificateFile = join(folder, 'certificate.pem')
  await writeFile(certificateFile, cert)

  const secret = Promise.withResolvers<string>()
  const came = new Map<string, z.output<typeof envelope>[]>()
  const waiting = new Map<string, PromiseWithResolvers<z.output<typeof envelope>>>()
  let isHolding = false
  const server = createServer({ key, cert }, async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray())
      const { payload } = await verify({ body, headers: request.headers, secret: await secret.promise })
      const event = envelope.parse(payload)
      came.set(event.id, [...(came.get(event.id) ?? []), event])
      waiting.get(event.id)?.resolve(event)
      if (!isHolding) response.writeHead(204).end()
    } catch (error) {
      response.writeHead(400).end()
      for (const { reject } of waiting.values()) reject(error)
    }
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')

  return {
    url: `https://localhost:${address.port}/hook`,
    certificateFile,
    trust: secret.resolve,
    hold() {
      isHolding = true
    },
    answer() {
      isHolding = false
    },
    received(id) {
      const [first] = came.get(id) ?? []
      if (first !== undefined) return Promise.resolve(first)
      const wanted = waiting.get(id) ?? Promise.withResolvers()
      waiting.set(id, wanted)
      return wanted.promise
    },
    countOf: (id) => came.get(id)?.length ?? 0,
    async close() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
