import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { RUNTIMES } from './runtimes.ts'

const entry = fileURLToPath(new URL('./which-runtime.ts', import.meta.url))

it.each(RUNTIMES)('$name runs TypeScript without a build and passes it arguments', async ({ name, command, args }) => {
  const { stdout } = await promisify(execFile)(command, [...args, entry, 'an argument'])
  const { runtime, version, values } = JSON.parse(stdout)
  expect(`${runtime} ${version}`.startsWith(name.toLowerCase())).toBe(true)
  expect(values).toEqual(['an argument'])
})
