import type { TlsOptions } from 'node:tls'
import { generate } from 'selfsigned'
import { TARGET_HOST } from '../loopback-target.ts'

export type CertificateName =
  | 'good'
  | 'of another host'
  | 'without any host'
  | 'with its name only in the subject'
  | 'of another address'
  | 'of a wildcard one label above'
  | 'expired'
  | 'not yet valid'
  | 'self-signed'
  | 'of an unknown authority'
  | 'issued by a certificate that is no authority'
  | 'for clients'
  | 'for signing code'

/**
 * Certificates with their keys. One authority has issued all of them, except where the property name indicates
 * otherwise.
 */
export interface CertificateChest {
  /** The authority to trust. */
  readonly ca: string
  readonly of: Readonly<Record<CertificateName, TlsOptions>>
}

type Pems = Awaited<ReturnType<typeof generate>>
type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>['extensions']>

const DAY = 86_400_000

export async function fillCertificateChest(): Promise<CertificateChest> {
  const authority = await makeAuthority('Callboard test authority')
  const stranger = await makeAuthority('An authority that nobody knows')
  const leaf = async (
    { names = [TARGET_HOST], usage, from = 0, issuer = authority }: LeafOptions = {},
    commonName = 'leaf',
  ): Promise<TlsOptions> => {
    const extensions: Extensions = [{ name: 'basicConstraints', cA: false }]
    if (names.length > 0) extensions.push({ name: 'subjectAltName', altNames: names.map(altName) })
    if (usage !== undefined) extensions.push({ name: 'extKeyUsage', [usage]: true })
    const pems = await generate([{ name: 'commonName', value: commonName }], {
      keyType: 'ec',
      algorithm: 'sha256',
      notBeforeDate: new Date(Date.now() + from - DAY),
      notAfterDate: new Date(Date.now() + from + DAY),
      extensions,
      ca: { key: issuer.private, cert: issuer.cert },
    })
    return { key: pems.private, cert: `${pems.cert}\n${issuer.cert}` }
  }
  const good = await leaf()
  const alone = await generate([{ name: 'commonName', value: TARGET_HOST }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [altName(TARGET_HOST)] }],
  })
  const leafAsIssuer: Pems = { ...alone, private: String(good.key), cert: String(good.cert) }

  return {
    ca: authority.cert,
    of: {
      good,
      'of another host': await leaf({ names: ['other.test'] }),
      'without any host': await leaf({ names: [] }),
      'with its name only in the subject': await leaf({ names: ['other.test'] }, TARGET_HOST),
      'of another address': await leaf({ names: ['127.0.0.2'] }),
      'of a wildcard one label above': await leaf({ names: ['*.target.test'] }),
      expired: await leaf({ from: -2 * DAY }),
      'not yet valid': await leaf({ from: 2 * DAY }),
      'self-signed': { key: alone.private, cert: alone.cert },
      'of an unknown authority': await leaf({ issuer: stranger }),
      'issued by a certificate that is no authority': await leaf({ issuer: leafAsIssuer }),
      'for clients': await leaf({ usage: 'clientAuth' }),
      'for signing code': await leaf({ usage: 'codeSigning' }),
    },
  }
}

interface LeafOptions {
  readonly names?: readonly string[]
  readonly usage?: 'clientAuth' | 'codeSigning'
  /** How far to shift the certificate's validity (one day before and after now), in milliseconds; 0 by default. */
  readonly from?: number
  readonly issuer?: Pick<Pems, 'private' | 'cert'>
}

function altName(name: string): { type: 2; value: string } | { type: 7; ip: string } {
  return /^[\d.]+$/.test(name) ? { type: 7, ip: name } : { type: 2, value: name }
}

function makeAuthority(commonName: string): Promise<Pems> {
  return generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
}
