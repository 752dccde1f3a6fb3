import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { cliWorld } from '../../test/cli-world.ts'

const world = cliWorld()
const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
const guide = await readFile(new URL('../../../../docs/command-line.md', import.meta.url), 'utf8')

it('works from the config module that the README shows, by the steps that it shows', async () => {
  const folder = fileURLToPath(new URL('../../.generated/readme', import.meta.url))
  await mkdir(join(folder, 'src'), { recursive: true })
  const [, config = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  await writeFile(join(folder, 'callboard.config.ts'), config)
  await writeFile(
    join(folder, 'src/callboard.ts'),
    `import { openPlatform } from '../../../test/platform/callboard.ts'\nexport const { callboard, pool } = openPlatform(process.env.DATABASE_URL)\n`,
  )
  const env = { DATABASE_URL: await world.createDatabase() }
  const [, steps = ''] = /## From nothing.*?```sh\n(.*?)```/s.exec(readme) ?? []
  const lines = steps.trim().split('\n')
  expect(lines).toHaveLength(5)
  let last = ''
  for (const line of lines) {
    const words = [...line.replace(/^npx callboard | > .*$/g, '').matchAll(/"([^"]*)"|\S+/g)]
    const { code, stdout, stderr } = await world.run(
      words.map(([word, quoted]) => quoted ?? word),
      { folder, env },
    )
    expect({ line, code, error: /^error.*/.exec(stderr)?.[0] }).toEqual({ line, code: 0, error: undefined })
    last = stdout
  }
  expect(last).toMatch(/order\.paid/)
})

it('lists every command in the README and the guide, and none that is not there', async () => {
  const help = async (words: string) => (await world.run(`${words} --help`)).stdout
  const namesIn = (text: string) =>
    [...text.matchAll(/^ {2}([a-z-]+)(?: <|\[| \[| {2,})/gm)].map(([, name]) => name).filter((name) => name !== 'help')
  const commandsOf = (text: string) => namesIn(/\nCommands:\n(.*?)(?:\n\n|$)/s.exec(text)?.[1] ?? '')
  const top = commandsOf(await help(''))
  const found = await Promise.all(
    top.map(async (name) => {
      const below = commandsOf(await help(`${name}`))
      return below.length === 0 ? [name] : below.map((each) => `${name} ${each}`)
    }),
  )
  const shownBelow = (heading: string, page: string) => {
    const [, table = ''] = new RegExp(`## ${heading}\n(.*?)\n## `, 's').exec(page) ?? []
    const rows = table.split('\n').filter((line) => line.startsWith('| `'))
    return rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([a-z -]+)`/g)].map(([, name]) => name))
  }
  expect(shownBelow('Commands', readme).sort()).toEqual(found.flat().sort())
  expect(shownBelow('What there is', guide).sort()).toEqual(found.flat().sort())
})
