import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, type SecureContext } from 'node:tls'
import type { AttemptReason } from '@callboard/core/engine'

/**
 * The codes of the errors that end a connection or a handshake. All other codes are of a certificate that was refused,
 * such as `CERT_HAS_EXPIRED`, on Node, Bun and Deno alike.
 */
const CONNECTION_ERROR = /^(?:E[A-Z]+|ERR_(?!TLS_CERT_).*)$/

/** What OpenSSL says is wrong with a certificate. Another runtime may say less; the reason is then `certificate`. */
const REFUSALS: Readonly<Record<string, HandshakeFailure>> = {
  CERT_HAS_EXPIRED: 'certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_issuer',
}

export type HandshakeFailure = Extract<AttemptReason, 'tls' | `certificate${string}`>

/** Why a handshake ended with this error. */
export function handshakeFailure({ code = 'ERR_' }: { readonly code?: string | undefined }): HandshakeFailure {
  if (CONNECTION_ERROR.test(code)) return 'tls'
  const reason = REFUSALS[code] ?? 'certificate'
  // Deno blames the issuer for almost every certificate that it refuses, such as one for clients (measured).
  return reason === 'certificate_issuer' && 'Deno' in globalThis ? 'certificate' : reason
}

/** The options of one TLS connection, and the check that the server's certificate names the server. */
export interface VerifiedTls {
  /** The options for `tls.connect`. */
  readonly options: ConnectionOptions
  /** Whether the certificate names the server. Call it once the connection is secure. */
  isVerified(): boolean
}

/**
 * Creates the options and the check for the server `host` (a name or an address). The runtime is not trusted to check
 * the name: Bun 1.1 accepts a certificate for another name and never calls `checkServerIdentity` (measured).
 */
export function verifiedTls(host: string, secureContext: SecureContext): VerifiedTls {
  let verified = false
  return {
    options: {
      secureContext,
      ALPNProtocols: ['http/1.1'],
      // Both values are Node's defaults. They are set here because NODE_TLS_REJECT_UNAUTHORIZED and --tls-min-v1.0 can
      // change the defaults.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      // TLS cannot carry an address as the server name, but the certificate must still name the address.
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
