import { type CryptoPort, requireHmacSync } from './crypto-port.ts'
import { type RawBody, rawBody } from './raw-body.ts'
import { createSecretKeys } from './secret.ts'
import { signedHead } from './signed-head.ts'

export interface SignRequest {
  /** The value of `webhook-id`: printable ASCII without spaces or full stops. Use the same value in every attempt. */
  readonly id: string
  /** The value of `webhook-timestamp`: the time of this attempt, in whole seconds since the epoch. */
  readonly timestamp: number
  /** The body, exactly as it is sent. */
  readonly body: RawBody
  /** The signing secret; during a rotation, the new secret followed by the old secret. */
  readonly secret: string | readonly string[]
}

export interface Signing {
  sign(request: SignRequest): Promise<string>
  signSync(request: SignRequest): string
}

export function createSigning<Key>(port: CryptoPort<Key>): Signing {
  const keysOf = createSecretKeys(port.importKey)
  const parse = ({ id, timestamp, body, secret }: SignRequest) => ({
    keys: keysOf(secret),
    head: signedHead(id, String(timestamp)),
    body: rawBody(body),
  })
  return {
    async sign(request) {
      const { keys, head, body } = parse(request)
      return join(await Promise.all(keys.map((key) => port.hmac(key, head, body))))
    },
    signSync(request) {
      const hmacSync = requireHmacSync(port)
      const { keys, head, body } = parse(request)
      return join(keys.map((key) => hmacSync(key, head, body)))
    },
  }
}

function join(signatures: readonly string[]): string {
  return signatures.map((signature) => `v1,${signature}`).join(' ')
}
