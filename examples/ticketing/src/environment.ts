import { readFileSync } from 'node:fs'
import { dataDirOf } from './data-dir.ts'
import { StartError } from './start-error.ts'

/** The settings in the environment. An empty variable counts as unset. */
export interface Environment {
  /** `PORT`: 8787 by default; 0 takes any free port. */
  readonly port: number
  /** `DATA_DIR`: the folder of the embedded database, secret keys and demo key; `.data/` by default. */
  readonly dataDir: string
  /** `DATABASE_URL`: a Postgres server to use instead of the embedded one. */
  readonly databaseUrl: string | undefined
  /** `DEMO_ADMIN_TOKEN`: gives access to `/demo/*`; by default, the first start generates a token. */
  readonly adminToken: string | undefined
  /** `SIMULATE`: sells a few tickets a minute; on by default. */
  readonly simulate: boolean
  /**
   * `SIMULATE_DAY`: starts with a day of simulated events and deliveries, kept in memory only; off by default.
   */
  readonly simulateDay: boolean
  /** `ALLOW_LOOPBACK_TARGETS`: allows targets on this machine; on by default, because this is a demo. */
  readonly allowLoopbackTargets: boolean
  /** `PUBLIC_URL`: the https: URL at which customers reach this platform. Its host is then refused as a target. */
  readonly publicUrl: string | undefined
  /**
   * `RETRY_SCHEDULE` (`1s,5s,2m`): the waits after failed attempts, converted to milliseconds; by default Callboard's
   * own schedule.
   */
  readonly retrySchedule: readonly number[] | undefined
  /** `DASHBOARD_LANGUAGE`: `en` or `de`; English by default. */
  readonly dashboardLanguage: 'en' | 'de'
  /** `NODE_EXTRA_CA_CERTS`: a PEM file of further authorities to trust for targets' certificates. */
  readonly extraCaCertificates: readonly string[]
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Throws a {@link StartError} that names every invalid variable. It shows no values, because they could be secret. */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Environment {
  const problems: string[] = []
  const read = <Value>(
    name: string,
    fallback: Value,
    parse: (text: string) => Value | undefined,
    wanted: string,
  ): Value => {
    const text = environment[name]?.trim()
    if (text === undefined || text === '') return fallback
    const value = parse(text)
    if (value === undefined) problems.push(`${name} must be ${wanted}.`)
    return value ?? fallback
  }
  const result: Environment = {
    port: read('PORT', 8787, parsePort, 'a port from 0 to 65535'),
    dataDir: dataDirOf(environment),
    databaseUrl: read<string | undefined>(
      'DATABASE_URL',
      undefined,
      parseDatabaseUrl,
      'a URL such as postgres://user:password@host:5432/database',
    ),
    adminToken: read<string | undefined>(
      'DEMO_ADMIN_TOKEN',
      undefined,
      parseToken,
      '1 to 200 visible ASCII characters',
    ),
    simulate: read('SIMULATE', true, parseSwitch, '0 or 1'),
    simulateDay: read('SIMULATE_DAY', false, parseSwitch, '0 or 1'),
    allowLoopbackTargets: read('ALLOW_LOOPBACK_TARGETS', true, parseSwitch, '0 or 1'),
    publicUrl: read<string | undefined>('PUBLIC_URL', undefined, parsePublicUrl, 'an https: URL'),
    retrySchedule: read<number[] | undefined>(
      'RETRY_SCHEDULE',
      undefined,
      parseSchedule,
      'waits such as 1s,5s,2m,1h (ms, s, m, h), each at most 24h',
    ),
    dashboardLanguage: read<'en' | 'de'>('DASHBOARD_LANGUAGE', 'en', parseLanguage, 'en or de'),
    extraCaCertificates: read('NODE_EXTRA_CA_CERTS', [], readCertificates, 'a readable file with certificates in PEM'),
  }
  if (problems.length > 0) throw new StartError(problems.join('\n'))
  return result
}

function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

function parseSwitch(text: string): boolean | undefined {
  return text === '1' ? true : text === '0' ? false : undefined
}

function parseLanguage(text: string): 'en' | 'de' | undefined {
  return text === 'en' || text === 'de' ? text : undefined
}

function parseToken(text: string): string | undefined {
  return /^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined
}

function parseDatabaseUrl(text: string): string | undefined {
  return /^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined
}

function parsePublicUrl(text: string): string | undefined {
  return URL.parse(text)?.protocol === 'https:' ? text : undefined
}

function parseSchedule(text: string): number[] | undefined {
  const waits = text.split(',').map((part) => {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|min|h)$/.exec(part.trim()) ?? []
    return Math.round(Number(number) * (UNITS[unit] ?? Number.NaN))
  })
  return waits.every((wait) => wait <= 86_400_000) ? waits : undefined
}

function readCertificates(path: string): readonly string[] | undefined {
  try {
    return readFileSync(path, 'utf8').match(PEM) ?? undefined
  } catch {
    return undefined
  }
}
