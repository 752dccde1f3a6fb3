import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { StartError } from './start-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'callboard-environment-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'

describe('readEnvironment', () => {
  it('needs no variables, and treats empty variables as unset', () => {
    const { dataDir, ...defaults } = readEnvironment({})
    expect(dataDir).toMatch(/[/\\]\.data$/)
    expect(defaults).toEqual({
      port: 8787,
      databaseUrl: undefined,
      adminToken: undefined,
      simulate: true,
      simulateDay: false,
      allowLoopbackTargets: true,
      publicUrl: undefined,
      retrySchedule: undefined,
      dashboardLanguage: 'en',
      extraCaCertificates: [],
    })
    expect(readEnvironment({ PORT: '', SIMULATE: ' ', RETRY_SCHEDULE: '', DATA_DIR: '' })).toEqual({
      dataDir,
      ...defaults,
    })
  })

  it.each([
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DATABASE_URL', 'postgresql://u:p@db:5432/shop', { databaseUrl: 'postgresql://u:p@db:5432/shop' }],
    ['DEMO_ADMIN_TOKEN', 'open-sesame', { adminToken: 'open-sesame' }],
    ['SIMULATE', '0', { simulate: false }],
    ['SIMULATE_DAY', '1', { simulateDay: true }],
    ['ALLOW_LOOPBACK_TARGETS', '0', { allowLoopbackTargets: false }],
    ['PUBLIC_URL', 'https://tickets.example.com', { publicUrl: 'https://tickets.example.com' }],
    ['RETRY_SCHEDULE', '1s,5s, 2m ,1.5h,250ms', { retrySchedule: [1000, 5000, 120_000, 5_400_000, 250] }],
    ['DASHBOARD_LANGUAGE', 'de', { dashboardLanguage: 'de' }],
    ['NODE_EXTRA_CA_CERTS', file('two.pem', `${pem}\n${pem}\n`), { extraCaCertificates: [pem, pem] }],
  ])('reads %s=%s', (name, value, expected) => {
    expect(readEnvironment({ [name]: value })).toMatchObject(expected)
  })

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', 'http'],
    ['PORT', '80.5'],
    ['DATABASE_URL', 'mysql://u:hunter2@db/shop'],
    ['DATABASE_URL', 'hunter2'],
    ['DEMO_ADMIN_TOKEN', 'hunter2 with spaces'],
    ['DEMO_ADMIN_TOKEN', 'hunter2é'],
    ['SIMULATE', 'yes'],
    ['ALLOW_LOOPBACK_TARGETS', 'true'],
    ['PUBLIC_URL', 'http://hunter2.example.com'],
    ['PUBLIC_URL', 'hunter2'],
    ['RETRY_SCHEDULE', '5'],
    ['RETRY_SCHEDULE', '1s,,5s'],
    ['RETRY_SCHEDULE', '-1s'],
    ['RETRY_SCHEDULE', '25h'],
    ['DASHBOARD_LANGUAGE', 'fr'],
    ['NODE_EXTRA_CA_CERTS', join(folder, 'missing.pem')],
    ['NODE_EXTRA_CA_CERTS', file('empty.pem', 'no certificate')],
  ])('refuses %s=%s by name, without showing its value', (name, value) => {
    const read = (): unknown => readEnvironment({ [name]: value })
    expect(read).toThrow(StartError)
    expect(read).toThrow(new RegExp(`^${name} must be `))
    expect(read).not.toThrow(/hunter2/)
  })

  it('names all invalid variables in one error', () => {
    expect(() => readEnvironment({ PORT: 'x', SIMULATE: 'x' })).toThrow(/^PORT .+\nSIMULATE .+$/)
  })
})
