import { join } from 'node:path'
import { generate } from 'selfsigned'
import { readOrMake } from './kept-file.ts'

const TEN_YEARS_MS = 10 * 365 * 86_400_000

/**
 * The demo receiver's certificate for `localhost`. The first process that needs it creates it, so the platform also
 * trusts a receiver that starts later. The file contains both the certificate and its key.
 */
export async function readOrMakeDemoCertificate(dataDir: string): Promise<{ key: string; cert: string }> {
  const pem = await readOrMake(join(dataDir, 'receiver-certificate.pem'), make)
  const [cert = '', key = ''] = pem.split(/(?=-----BEGIN PRIVATE KEY-----)/)
  return { key, cert }
}

async function make(): Promise<string> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + TEN_YEARS_MS),
    extensions: [
      // The certificate cannot sign other certificates, so somebody who steals its key can impersonate only localhost.
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  return `${made.cert.trim()}\n${made.private.trim()}\n`
}
