import { generate } from 'selfsigned'

/** A certificate that vouches for itself, for a name (`localhost` by default, or `*.…`) and 127.0.0.1. */
export function makeCertificate(name = 'localhost'): Promise<{ private: string; cert: string }> {
  return generate([{ name: 'commonName', value: name }], {
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
