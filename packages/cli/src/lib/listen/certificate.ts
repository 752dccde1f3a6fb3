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

/** A certificate of nobody's authority for these names, and for the loopback if `localhost` is among them. */
export async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  const addresses = names.includes('localhost') ? LOOPBACK : []
  // No two have the same subject: who trusts several would find but the first of them.
  const subject = [
    { name: 'commonName', value: names[0] ?? '' },
    { name: 'organizationName', value: `Callboard ${randomUUID()}` },
  ]
  const made = await generate(subject, {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + TEN_YEARS_MS),
    extensions: [
      // No authority: who steals it can be localhost, and nobody else.
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
  // Without the line breaks a file of both would be none that Node reads.
  return { key: `${made.private.trim()}\n`, cert: `${made.cert.trim()}\n` }
}

/**
 * The certificate of a file that holds it and its key in PEM. Made for `localhost` where there is no such file: once and for
 * all, for the platform must be told to trust it. Of two processes that make it at once both get that of the first.
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

/** Undefined when there is no such file. */
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
    // Told below: nothing of the file is, it holds a key.
  }
  throw new CommandError(`${path} must hold a certificate and its key, both in PEM. Remove it to have one made.`)
}

function unusable(path: string, cause: unknown): CommandError {
  return new CommandError(`${path} cannot be used for the certificate: ${codeOf(cause) ?? 'it is not kept'}.`, {
    cause,
  })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
