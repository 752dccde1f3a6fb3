import { randomUUID, X509Certificate } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { generate } from 'selfsigned'
import { CommandError } from '../command-error.ts'

export interface Certificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
}

const TEN_YEARS_MS = 10 * 365 * 86_400_000
const LOOPBACK = ['127.0.0.1', '::1']

/** Creates a self-signed certificate for these names, and for the loopback addresses if one name is `localhost`. */
export async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  const addresses = names.includes('localhost') ? LOOPBACK : []
  // The subject is unique, because a client that trusts several certificates with the same subject finds only the
  // first.
  const subject = [
    { name: 'commonName', value: names[0] ?? '' },
    { name: 'organizationName', value: `Callboard ${randomUUID()}` },
  ]
  const made = await generate(subject, {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + TEN_YEARS_MS),
    extensions: [
      // Not a certificate authority: somebody who steals the key can impersonate only the names in this certificate.
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  })
  // Without these line breaks, Node cannot read a file that contains both the certificate and the key.
  return { key: `${made.private.trim()}\n`, cert: `${made.cert.trim()}\n` }
}

/**
 * Reads a certificate and its key from a PEM file. If the file is missing, creates it for `localhost`. Never replaces a
 * file, even one that another process has just created, because people have told the platform to trust its certificate.
 */
export async function readOrMakeCertificate(path: string): Promise<Certificate & { readonly made: boolean }> {
  const kept = await readCertificate(path)
  if (kept !== undefined) return { ...kept, made: false }
  const { key, cert } = await makeCertificate(['localhost'])
  const draft = `${path}.${randomUUID()}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, cert + key, { mode: 0o600, flag: 'wx' })
    await link(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(path, error)
  } finally {
    await rm(draft, { force: true })
  }
  const first = await readCertificate(path)
  if (first === undefined) throw unusable(path, undefined)
  return { ...first, made: first.cert === cert }
}

/** Reads the certificate and its key; undefined when there is no such file. */
async function readCertificate(path: string): Promise<Certificate | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(path, error)
  }
  const blocks = text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----\n?/g) ?? []
  const cert = blocks.filter((block) => block.startsWith('-----BEGIN CERTIFICATE-----')).join('')
  const key = blocks.find((block) => /^-----BEGIN (?:\w+ )?PRIVATE KEY-----/.test(block))
  try {
    if (key !== undefined && new X509Certificate(cert).subjectAltName !== undefined) return { key, cert }
  } catch {
    // The error below also covers a certificate that cannot be parsed. Its message does not quote the file, which can
    // contain a key.
  }
  throw new CommandError(
    `${path} must hold a certificate and its key, both in PEM. Remove the file to have one created.`,
  )
}

function unusable(path: string, cause: unknown): CommandError {
  return new CommandError(
    `${path} cannot be used for the certificate: ${codeOf(cause) ?? 'it vanished after it was written'}.`,
    {
      cause,
    },
  )
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
