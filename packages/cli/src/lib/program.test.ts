import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltCli, buildCli } from '../../test/built-cli.ts'

let cli: BuiltCli
let folder: string

beforeAll(async () => {
  ;[cli, folder] = await Promise.all([buildCli(), mkdtemp(join(tmpdir(), 'callboard-cli-'))])
})

afterAll(() => Promise.all([cli.remove(), rm(folder, { recursive: true, force: true })]))

describe('the help', () => {
  it('names the exit codes, and the configuration that commands need', async () => {
    const { code, stdout, stderr } = await cli.run('--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('0 done    1 failed    2 wrong usage    130 interrupted')
    expect(stdout).toContain('DATABASE_URL')
  })

  it('has an example for every command', async () => {
    const groups = ['accounts', 'keys', 'subscriptions', 'events', 'deliveries', 'retention', 'erase']
    const helps = await Promise.all(groups.map((group) => cli.run(`${group} --help`)))
    const commands = helps.flatMap(({ stdout }, index) =>
      [...stdout.matchAll(/^ {2}([a-z-]+) \[options\]/gm)].map(([, name]) => `${groups[index]} ${name}`),
    )
    expect(commands.length).toBeGreaterThan(15)
    for (const command of ['migrate', ...commands]) {
      const { stdout } = await cli.run(`${command} --help`)
      expect(stdout).toMatch(new RegExp(`Examples?:\\n {2}\\$ .*callboard ${command} ?`))
    }
  })
})

it('refuses an older Node, and says which one it needs', async () => {
  const older = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.11.0'}})`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${older}` }
  expect(await cli.run('status', { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: callboard needs Node 22.12 or newer. This is Node 22.11.0.\n',
  })
})

describe('wrong usage', () => {
  it.each([
    ['', 'Usage:'],
    ['keyz', 'Did you mean keys?'],
    ['keys', 'Usage: callboard keys'],
    ['keys issue --name Zapier', "'--account <id>' not specified"],
    ['keys issue --account a --name Zapier --scope everything', 'Allowed choices are webhooks.read'],
    ['keys issue --account a --name Zapier --mode production', 'Allowed choices are live, test'],
    ['keys rotate key_1 --account a --overlap soon', 'Expected a duration such as 90s, 30m, 24h or 7d.'],
    ['deliveries resend sub_1 --account a --from yesterday', 'Expected a time such as 2026-11-22'],
    ['deliveries resend sub_1 --account a', 'Choose what to resend: name an event, or give --from.'],
    ['deliveries resend sub_1 evt_1 --account a --from 24h', 'not both'],
    ['deliveries list --account a', 'use --subscription or --event'],
    ['deliveries list --account a --subscription sub_1 --limit 0', 'whole number, 1 or more'],
    ['events publish order.paid --account a', "'--data <json>' not specified"],
    ['events publish order.paid --account a --subject order:1 --data {', '--data is not JSON'],
    ['erase before 90d --yes', '--account or --all-accounts'],
    ['erase before 0000-01-01 --account a --yes', 'Expected a time such as 2026-11-22'],
    ['erase before 999999d --account a --yes', 'Expected a time such as 2026-11-22'],
    ['erase before 9999-12-31T23:59:00-08:00 --account a --yes', 'Expected a time such as 2026-11-22'],
    ['erase before 2026-02-30 --account a --yes', 'Expected a time such as 2026-11-22'],
    ['migrate', 'There is no callboard.config.ts here, and DATABASE_URL is not set.'],
    ['migrate --config none.ts', 'none.ts'],
  ])('of %j exits with 2 and says what to do', async (words, said) => {
    const { code, stdout, stderr } = await cli.run(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(said)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('is reported to programs as a JSON document on stderr', async () => {
    const { code, stdout, stderr } = await cli.run('keys issue --name Zapier --json')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const message = "required option '--account <id>' not specified"
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'USAGE', message, issues: [] } })
  })

  it.each([
    'events list --account a',
    'retention run',
    'erase person per_1 --account a --yes',
    'subscriptions rotate-secret sub_1 --account a',
  ])('includes running %j without the config module that the command needs', async (words) => {
    const { code, stderr } = await cli.run(words, { env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/This command needs your .*: run it in the folder of callboard.config.ts/)
  })
})

describe('a database that cannot be used', () => {
  // Nothing listens on port 1.
  const url = 'postgres://someone:hunter2@127.0.0.1:1/shop'

  it.each(['migrate', 'keys list --account acc_1', 'deliveries list --account a --subscription sub_1'])(
    'is reported by %j in one line that says what to do',
    async (words) => {
      const { code, stdout, stderr } = await cli.run(words, { env: { DATABASE_URL: url } })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(
        'error: The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. ' +
          'Check that it is running, and check DATABASE_URL or the pool in callboard.config.ts.\n',
      )
    },
  )

  it('is reported to programs as a JSON document on stderr', async () => {
    const { stderr } = await cli.run('keys list --account acc_1 --json', { env: { DATABASE_URL: url } })
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'UNAVAILABLE', message: expect.stringContaining('cannot be reached'), issues: [] },
    })
  })

  it.each(['mysql://someone:hunter2@127.0.0.1/shop', 'hunter2', 'postgres://someone:hunter2@[/shop'])(
    'is reported without its address %j, which contains a password',
    async (DATABASE_URL) => {
      const { code, stderr } = await cli.run('migrate', { env: { DATABASE_URL } })
      expect(code).toBe(2)
      expect(stderr).toContain('DATABASE_URL must look like')
      expect(stderr).not.toContain('hunter2')
    },
  )
})

describe('the config module', () => {
  const migrateWith = async (name: string, source: string) => {
    await writeFile(join(folder, name), source)
    return cli.run(`migrate --config ${name}`, { folder })
  }

  it.each([
    [
      'throws.mjs',
      "throw new Error('SECRET_KEYS is not set')",
      'could not be loaded: SECRET_KEYS is not set. If DATABASE_URL is enough for this command, add --no-config.',
    ],
    ['syntax.ts', 'export default {', 'could not be loaded'],
    ['missing.ts', "import './elsewhere.ts'", 'could not be loaded'],
    ['empty.mjs', 'export const callboard = 1', 'must contain: export default defineConfig({ callboard, pool })'],
    ['poolless.mjs', 'export default { callboard: { publish() {}, subscriptions: {} } }', 'add `pool` to the config'],
  ])('is reported in one line if it cannot be used: %s', async (name, source, said) => {
    const { code, stdout, stderr } = await migrateWith(name, source)
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain(said)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it.each(['keys list --account acc_1', 'doctor'])(
    'makes %j refuse a schema other than that of its store',
    async (words) => {
      await writeFile(join(folder, 'store.mjs'), 'export default { callboard: { publish() {}, subscriptions: {} } }')
      const { code, stdout, stderr } = await cli.run(`${words} --config store.mjs --schema staging`, { folder })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('The config module has another schema than --schema.')
    },
  )

  it('can be TypeScript that Node itself cannot load', async () => {
    await writeFile(join(folder, 'reason.ts'), "export enum Reason { Pool = 'no pool' }")
    const { stderr } = await migrateWith(
      'enums.ts',
      "import { Reason } from './reason'\nthrow new Error('read: ' + Reason.Pool)",
    )
    expect(stderr).toContain('read: no pool')
  })

  it('can be compiled to CommonJS', async () => {
    const callboard = '{ publish() {}, subscriptions: {} }'
    const source = `Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = { callboard: ${callboard} }`
    expect((await migrateWith('compiled.cjs', source)).stderr).toContain('add `pool` to the config')
  })

  // `npm init` writes the first package.json in npm 11, and the second in npm 10.
  it.each(['{ "type": "commonjs" }', '{}'])('loads without a warning next to the package.json %s', async (manifest) => {
    const project = await mkdtemp(join(folder, 'project-'))
    await mkdir(join(project, 'src'))
    await writeFile(join(project, 'package.json'), manifest)
    await writeFile(join(project, 'src/reason.ts'), "export const reason: string = 'no pool'\n")
    const source = "import { reason } from './src/reason.ts'\nthrow new Error('read: ' + reason)\n"
    await writeFile(join(project, 'callboard.config.ts'), source)
    const { stderr } = await cli.run('migrate', { folder: project })
    expect(stderr.split('\n')).toEqual([expect.stringContaining('could not be loaded: read: no pool'), ''])
  })

  it('can emit warnings, which are printed', async () => {
    const { stderr } = await migrateWith('warns.mjs', "process.emitWarning('mind the gap')\nexport default 1")
    expect(stderr).toContain('mind the gap')
  })
})
