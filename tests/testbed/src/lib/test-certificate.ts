import { randomUUID } from 'node:crypto'
import { generate } from 'selfsigned'

/**
 * Creates a self-signed certificate for a name (`localhost` by default, or `*.…`) and 127.0.0.1. Each certificate has a
 * different subject, because a client that trusts several certificates with the same subject finds only the first.
 */
export function makeCertificate(name = 'localhost'): Promise<{ private: string; cert: string }> {
  const subject = [
    { name: 'commonName', value: name },
    { name: 'organizationName', value: randomUUID() },
  ]
  return generate(subject, {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2 as const, value: name },
          { type: 7 as const, ip: '127.0.0.1' },
        ],
      },
    ],
  })
}
