import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { cliWorld } from '../../test/cli-world.ts'

const world = cliWorld()
const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
const guide = await readFile(new URL('../../../../docs/command-line.md', import.meta.url), 'utf8')

it('runs the steps in the README with the config module in the README', async () => {
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

const helps = new Map<string, Promise<string>>()
function help(words: string): Promise<string> {
  const known = helps.get(words) ?? world.run(`${words} --help`).then(({ stdout }) => stdout)
  helps.set(words, known)
  return known
}

/** Returns every command that can be run: `migrate`, `accounts create` and so on. */
async function allCommands(): Promise<string[]> {
  const namesIn = (text: string) =>
    [...text.matchAll(/^ {2}([a-z-]+)(?: <|\[| \[| {2,})/gm)].map(([, name]) => name).filter((name) => name !== 'help')
  const commandsOf = (text: string) => namesIn(/\nCommands:\n(.*?)(?:\n\n|$)/s.exec(text)?.[1] ?? '')
  const found = commandsOf(await help('')).map(async (name) => {
    const below = commandsOf(await help(`${name}`))
    return below.length === 0 ? [`${name}`] : below.map((each) => `${name} ${each}`)
  })
  return (await Promise.all(found)).flat()
}

it('finds every command, and no unknown command, in the tables of the README and the guide', async () => {
  const commands = (await allCommands()).sort()
  const shownBelow = (heading: string, page: string) => {
    const [, table = ''] = new RegExp(`## ${heading}\n(.*?)\n## `, 's').exec(page) ?? []
    const rows = table.split('\n').filter((line) => line.startsWith('| `'))
    return rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([a-z -]+)`/g)].map(([, name]) => name))
  }
  expect(shownBelow('Commands', readme).sort()).toEqual(commands)
  expect(shownBelow('Commands', guide).sort()).toEqual(commands)
})

it('finds no unknown command or option on any page', async () => {
  const [commands, general] = [await allCommands(), await help('')]
  const cwd = fileURLToPath(new URL('../../../../', import.meta.url))
  for await (const page of glob(['README.md', 'docs/*.md', 'packages/*/README.md'], { cwd })) {
    const text = await readFile(join(cwd, page), 'utf8')
    for (const [shown, first, second, rest = ''] of text.matchAll(
      /(?:npx |`)callboard ([a-z]+)(?: ([a-z][a-z-]+)\b)?([^`|#\n]*)/g,
    )) {
      const command = commands.find((each) => each === `${first} ${second}`) ?? first
      expect(commands, `${page}: ${shown}`).toContain(command)
      const options = rest.match(/--[a-z][a-z-]*/g) ?? []
      const known = `${general}${options.length > 0 ? await help(`${command}`) : ''}`
      for (const option of options) expect(known, `${page}: ${shown}`).toContain(option)
    }
  }
})
