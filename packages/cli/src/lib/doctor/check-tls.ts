import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { Finding } from '@callboard/core/store'
import { createHttpsTransport, provePinning } from '@callboard/delivery'
import { describeFailure } from '../failure.ts'
import { doctorCertificate } from './doctor-certificate.ts'

/** The host names in these checks. They do not exist in DNS (RFC 6761), so no request can leave this machine. */
const [NAMED, OTHER] = ['doctor.invalid', 'other.invalid']
const DEADLINE_MS = 5_000

/**
 * Checks that deliveries connect only to addresses that Callboard has checked. A worker refuses to start on a runtime
 * that cannot ensure this.
 */
export async function checkPinning(): Promise<Finding> {
  const check = 'pinning'
  try {
    await provePinning()
    return { check, verdict: 'ok', message: 'deliveries connect only to checked addresses' }
  } catch (error) {
    return {
      check,
      verdict: 'problem',
      message: describeFailure(error).message,
      advice: 'No worker will start on this runtime. Use Node 22 or newer, Bun 1.4 or newer, or Deno 2.8 or newer.',
    }
  }
}

/**
 * Checks that deliveries verify certificates, by sending some to a server that it starts on the loopback address.
 *
 * @param authorities PEM certificates that the platform's worker trusts in addition to the runtime's own.
 */
export async function checkTls(authorities: readonly string[]): Promise<Finding> {
  const check = 'tls'
  for (const [index, authority] of authorities.entries())
    if (!isCertificate(authority))
      return {
        check,
        verdict: 'problem',
        message: `certificate ${index + 1} of ${authorities.length} in worker.extraCaCertificates cannot be read`,
        advice: 'Each entry must be the text of one PEM certificate, not a path. No worker will start with this entry.',
      }
  const { key, cert } = doctorCertificate()
  const server = createServer({ key, cert }, (_, response) => response.writeHead(204).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  const attempt = async (host: string, extraCaCertificates: readonly string[]): Promise<string> => {
    const transport = createHttpsTransport({
      addressPolicy: { allowedHostNames: [NAMED, OTHER], allowedCidrs: ['127.0.0.1/32'], allowedPorts: [port] },
      deadlineMs: DEADLINE_MS,
      resolve: async () => ['127.0.0.1'],
      extraCaCertificates,
    })
    try {
      const outcome = await transport.send({ url: `https://${host}:${port}/`, headers: {}, body: new Uint8Array() })
      return outcome.kind === 'failed' ? outcome.reason : 'answered'
    } finally {
      await transport.close()
    }
  }

  const problem = (message: string): Finding => ({
    check,
    verdict: 'problem',
    message,
    advice: 'Deliveries from this runtime fail or are not safe: run the worker on another runtime, and report this.',
  })
  try {
    const unknown = await attempt(NAMED, [])
    if (!unknown.startsWith('certificate'))
      return problem(`a certificate without a trusted authority was not refused (${unknown})`)
    const vouched = await attempt(NAMED, [...authorities, cert])
    if (vouched !== 'answered') return problem(`an authority in extraCaCertificates was not trusted (${vouched})`)
    const foreign = await attempt(OTHER, [cert])
    if (!foreign.startsWith('certificate'))
      return problem(`a certificate for another name was not refused (${foreign})`)
    const own = authorities.length > 0 ? `, ${authorities.length} in worker.extraCaCertificates` : ''
    return { check, verdict: 'ok', message: `certificates are verified, and extra authorities are trusted${own}` }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
