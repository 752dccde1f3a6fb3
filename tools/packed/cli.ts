// `npx callboard …` in a folder with a config module creates the tables and an account's first key.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createRouter } from '@callboard/router'
import config from './callboard.config.ts'

const runtime = 'Deno' in globalThis ? ['run', '--allow-all'] : []
const callboard = (...args: string[]): string =>
  execFileSync(process.execPath, [...runtime, 'node_modules/callboard/dist/main.js', ...args], { encoding: 'utf8' })

assert.match(callboard('--help'), /migrate/)
assert.match(callboard('migrate'), /0001-initial\.sql/)

await config.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
const token = callboard('keys', 'issue', '--account', 'acc_1', '--name', 'Zapier').trim()
const me = new Request('https://platform.example/v1/me', { headers: { authorization: `Bearer ${token}` } })
assert.equal((await createRouter(config.callboard).fetch(me)).status, 200)
assert.match(callboard('keys', 'list', '--account', 'acc_1', '--json'), /"name":\s*"Zapier"/)
await config.pool?.end()
