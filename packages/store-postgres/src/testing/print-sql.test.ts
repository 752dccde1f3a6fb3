import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FUNCTIONS } from '../lib/schema/functions.ts'

const script = fileURLToPath(new URL('print-sql.ts', import.meta.url))
const sql = (...names: string[]) => spawnSync(process.execPath, [script, ...names], { encoding: 'utf8' })

describe('pnpm sql', () => {
  it('lists every database function, and statements that a file keeps to itself', () => {
    const names = sql()
      .stdout.split('\n')
      .map((line) => line.split(' ')[0])
    expect(names).toEqual(expect.arrayContaining([...FUNCTIONS.map(({ name }) => name), 'settle', 'purge-events']))
  })

  it('prints a statement with its parameters named, and the function that it calls', () => {
    const { stdout } = sql('settle')
    expect(stdout).toMatch(/^-- statement settle .*\n-- \$1 :lanes\.account_id\n-- \$2 :lanes\.mode\n/)
    expect(stdout).toContain('from callboard.settle_lanes(\n  $1::text[], $2::text[]')
    expect(stdout).toContain('create or replace function callboard.settle_lanes(')
  })

  it('lists similar names when there is none like this', () => {
    expect(sql('setle')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^No statement or function is named setle\. Similar: .*\bsettle\b/),
    })
  })
})
