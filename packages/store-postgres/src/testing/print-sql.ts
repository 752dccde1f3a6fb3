import { globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { compile } from '../lib/sql/compile.ts'

// `pnpm sql NAME` prints the statement of this name and the database functions that it calls, or the function of this
// name, as Postgres gets them. `pnpm sql` lists all names. They are found in the files of `lib`, so that nobody has to
// register them.

interface Sql {
  readonly name: string
  readonly text: string
  readonly file: string
}

const LIB = new URL('../lib/', import.meta.url)

// Exports the statements that a file keeps to itself.
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith(LIB.href)) return loaded
    return { ...loaded, source: String(loaded.source).replace(/^const (?=\w+: (readonly )?Statement<)/gm, 'export $&') }
  },
})

/** Finds the statements and functions in a value: the value itself, a list of them, or an object of them. */
function* sqlIn(value: unknown, file: string): Generator<Sql> {
  if (typeof value !== 'object' || value === null) return
  if ('name' in value && 'text' in value) yield { name: String(value.name), text: String(value.text), file }
  else for (const part of Object.values(value)) yield* sqlIn(part, file)
}

const all: Sql[] = []
for (const file of globSync('*/*.ts', { cwd: LIB }))
  if (!/\.(test|faults)\.ts$/.test(file) && file !== 'schema/functions.ts')
    all.push(...sqlIn({ ...(await import(new URL(file, LIB).href)) }, file))
all.sort((a, b) => a.name.localeCompare(b.name))

const kindOf = ({ text }: Sql): string =>
  text.trim().startsWith('create or replace function') ? 'function' : 'statement'

function printed(sql: Sql): string {
  const { text, parameters } = compile(sql, 'callboard')
  const head = `-- ${kindOf(sql)} ${sql.name} (${sql.file})\n`
  if (kindOf(sql) === 'function') return `${head}${sql.text.trim()};\n`
  return `${head}${parameters.map((name, index) => `-- $${index + 1} ${name}\n`).join('')}${text.trim()};\n`
}

const [asked] = process.argv.slice(2)
const found = all.filter(({ name }) => name === asked)
const called = all.filter(
  (sql) => kindOf(sql) === 'function' && found.some(({ text }) => text.includes(`callboard.${sql.name}(`)),
)
if (asked === undefined)
  for (const sql of all) process.stdout.write(`${sql.name.padEnd(34)}${kindOf(sql).padEnd(11)}${sql.file}\n`)
else if (found.length > 0) process.stdout.write([...new Set([...found, ...called])].map(printed).join('\n'))
else {
  const starts = asked.split(/[-_]/).map((word) => word.slice(0, 3))
  const near = all.filter(({ name }) => starts.some((start) => name.includes(start)))
  process.stderr.write(
    `No statement or function is named ${asked}. Similar: ${near.map(({ name }) => name).join(', ')}\n`,
  )
  process.exitCode = 1
}
