import process from 'node:process'
import tls from 'node:tls'
import type { Finding } from '@callboard/core/store'

/** The major version in the packages' `engines`. */
const OLDEST_NODE = 22

/** Checks the runtime's version, and what its environment changes about TLS. */
export function checkRuntime(
  versions: Readonly<Record<string, string | undefined>> = process.versions,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Finding[] {
  return [checkVersion(versions), ...checkTrust(environment)]
}

function checkVersion({ node = '', bun, deno }: Readonly<Record<string, string | undefined>>): Finding {
  const check = 'runtime'
  if (bun !== undefined || deno !== undefined)
    return { check, verdict: 'ok', message: bun === undefined ? `Deno ${deno}` : `Bun ${bun}` }
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return { check, verdict: 'ok', message: `Node ${node}` }
  return { check, verdict: 'problem', message: `Node ${node}`, advice: `Use Node ${OLDEST_NODE} or newer.` }
}

function checkTrust(environment: Readonly<Record<string, string | undefined>>): Finding[] {
  const findings: Finding[] = []
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    findings.push({
      check: 'certificates',
      verdict: 'warning',
      message: 'NODE_TLS_REJECT_UNAUTHORIZED=0: this process accepts any certificate, for example from its database',
      advice: 'Unset it, and name your own authority in NODE_EXTRA_CA_CERTS. Deliveries still verify certificates.',
    })
  if (environment['NODE_EXTRA_CA_CERTS'] && typeof tls.getCACertificates === 'function') {
    // Node only warns about a file that it cannot read.
    const { length } = tls.getCACertificates('extra')
    findings.push(
      length > 0
        ? { check: 'certificates', verdict: 'ok', message: `${length} more from NODE_EXTRA_CA_CERTS` }
        : {
            check: 'certificates',
            verdict: 'problem',
            message: 'NODE_EXTRA_CA_CERTS does not name a readable file of certificates',
            advice: 'Point it at a file of certificates in PEM, or unset it.',
          },
    )
  }
  return findings
}
