import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, type SecureContext } from 'node:tls'

/** The terms of one TLS connection to a server whose certificate must be valid and name it. */
export interface VerifiedTls {
  /** For `tls.connect`. */
  readonly options: ConnectionOptions
  /** Whether the certificate was found to name the server; ask once the connection is secure. */
  isVerified(): boolean
}

/**
 * Terms for `host`, a name or an address. The runtime is not trusted to check the name: Bun 1.1 accepts a certificate
 * of another name and never calls `checkServerIdentity` (measured).
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
      // TLS has no server name for an address; the certificate must name it all the same.
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
