import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, type SecureContext } from 'node:tls'

/** One TLS connection to a server whose certificate must be good and must name it. */
export interface VerifiedTls {
  /** For `tls.connect`. */
  readonly options: ConnectionOptions
  /** Whether the certificate has been found to name the server; to be asked once the connection is secure. */
  isVerified(): boolean
}

/**
 * Terms of a connection to `host`, a name or an address. That its name was checked is not taken on trust: Bun 1.1 takes
 * a certificate of another name, and never calls `checkServerIdentity` (measured).
 */
export function verifiedTls(host: string, secureContext: SecureContext): VerifiedTls {
  let verified = false
  return {
    options: {
      secureContext,
      ALPNProtocols: ['http/1.1'],
      // Both are defaults that the environment can change (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0).
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      // An address has no server name in TLS; it is looked for in the certificate all the same.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      checkServerIdentity(_host, certificate) {
        const error = checkServerIdentity(host, certificate)
        verified = error === undefined
        return error
      },
    },
    isVerified: () => verified,
  }
}
