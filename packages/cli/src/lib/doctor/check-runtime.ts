import process from 'node:process'
import tls from 'node:tls'
import type { Finding } from '@callboard/core/store'

/** Checks the runtime's version, and the environment variables that change which certificates it trusts. */
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
  return { check, verdict: 'ok', message: `Node ${node}` }
}

function checkTrust(environment: Readonly<Record<string, string | undefined>>): Finding[] {
  const findings: Finding[] = []
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    findings.push({
      check: 'certificates',
      verdict: 'warning',
      message: 'NODE_TLS_REJECT_UNAUTHORIZED=0: this process accepts any certificate, for example from its database',
      advice:
        'Unset it. For a certificate authority of your own, set NODE_EXTRA_CA_CERTS to its PEM file. ' +
        'Deliveries verify certificates in either case.',
    })
  if (environment['NODE_EXTRA_CA_CERTS'] && typeof tls.getCACertificates === 'function') {
    // If Node cannot read the file, it only prints a warning and starts without the extra certificates.
    const { length } = tls.getCACertificates('extra')
    findings.push(
      length > 0
        ? { check: 'certificates', verdict: 'ok', message: `certificates added by NODE_EXTRA_CA_CERTS: ${length}` }
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
