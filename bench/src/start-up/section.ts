import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { asPublished } from '../lib/as-published.ts'
import { figure, spread } from '../lib/format.ts'
import { alternate, median } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'

const PACKAGES = ['signature', 'core', 'router', 'store-memory', 'store-postgres', 'delivery'] as const
const ROUNDS = 15
const LIMIT_MS = 100

const load = (...packages: readonly string[]): string =>
  `const since = performance.now()
  ${packages.map((name) => `await import('@callboard/${name}')`).join('\n')}
  console.log(performance.now() - since)`

/** Returns a program that runs nothing but one part of the first request, and prints how many milliseconds it took. */
const alone = (part: string): string =>
  `const since = performance.now()
  ${part}
  console.log(performance.now() - since)`

/** Strips the types in advance, so that Node's own stripping is not measured. */
async function withoutTypes(file: URL): Promise<string> {
  const source = await readFile(file, 'utf8')
  return (await transform(source, { loader: 'ts' })).code
}

export const section: Section = {
  title: 'Start-up',
  async measure({ quick }) {
    const { folder, remove } = await asPublished(PACKAGES)
    const cold = (script: string) => async (): Promise<number> => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: folder,
      })
      return Number(stdout)
    }
    const reached = await alternate(
      {
        signature: cold(load('signature')),
        core: cold(load('core')),
        router: cold(load('router')),
        'store-memory': cold(load('store-memory')),
        'store-postgres': cold(load('store-postgres')),
        delivery: cold(load('delivery')),
        'signature, core and router': cold(load('signature', 'core', 'router')),
        'the first request': cold(await withoutTypes(new URL('./first-request.ts', import.meta.url))),
        'that of IttyRouter and zod': cold(await withoutTypes(new URL('./bare-request.ts', import.meta.url))),
        'zod alone': cold(alone(`await import('zod')`)),
        'Node’s Request and Response alone': cold(
          alone(`await Response.json(new Request('http://localhost/').url).text()`),
        ),
      },
      quick ? 3 : ROUNDS,
    )
    await remove()
    const ours = reached['the first request'].map(
      (each, round) =>
        each -
        (reached['zod alone'][round] ?? Number.NaN) -
        (reached['Node’s Request and Response alone'][round] ?? Number.NaN),
    )
    const goal = (what: keyof typeof reached) => ({
      what: `ms: ${what}`,
      atMost: LIMIT_MS,
      rounds: reached[what],
    })
    // The guard is relative to code that every platform runs, such as zod. A guard in milliseconds would fail on a slow
    // machine even if nothing had become slower.
    const beside = (what: keyof typeof reached, other: keyof typeof reached) => ({
      what: `${what} ÷ ${other}`,
      atMost: 2,
      guard: 2.5,
      rounds: reached[what].map((each, round) => each / (reached[other][round] ?? Number.NaN)),
    })
    return {
      figures: [],
      goals: [
        goal('signature, core and router'),
        goal('the first request'),
        beside('signature, core and router', 'zod alone'),
        beside('the first request', 'that of IttyRouter and zod'),
      ],
      tables: [
        {
          columns: ['cold start', 'milliseconds'],
          rows: Object.entries(reached).map(([name, rounds]) => [name, spread(rounds)]),
        },
      ],
      method:
        'Each figure comes from a Node process of its own, whose start is not counted, and packages as ' +
        'published. The first request also loads three of them and creates an account and a key.',
      missed:
        `Of the first request, ${figure(median(reached['zod alone']))} ms are zod and ` +
        `${figure(median(reached['Node’s Request and Response alone']))} ms Node’s first Request and Response, which a ` +
        `platform with any router pays too. ${figure(median(ours))} ms are Callboard’s.`,
    }
  },
}
