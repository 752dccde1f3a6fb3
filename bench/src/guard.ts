// Measures the sections in `GUARDED` with short rounds, and fails if the median of a goal misses its `guard`. A section
// that fails is measured once more, because one bad measurement on a busy machine proves nothing.
import { figure } from './lib/format.ts'
import { measureApart } from './lib/measure-apart.ts'
import { median } from './lib/rounds.ts'
import type { Goal } from './lib/section.ts'
import { GUARDED } from './sections.ts'

function passes({ guard, atMost, rounds }: Goal): boolean {
  if (guard === undefined) return true
  return atMost === undefined ? median(rounds) >= guard : median(rounds) <= guard
}

async function judge(name: string): Promise<boolean> {
  const { title, goals } = await measureApart(name, { quick: true })
  for (const goal of goals.filter(({ guard }) => guard !== undefined)) {
    const limit = `${goal.atMost === undefined ? '≥' : '≤'} ${figure(goal.guard ?? Number.NaN)}`
    console.log(`${passes(goal) ? 'ok  ' : 'FAIL'} ${title}: ${goal.what}: ${figure(median(goal.rounds))} (${limit})`)
  }
  return goals.every(passes)
}

for (const name of GUARDED) if (!((await judge(name)) || (await judge(name)))) process.exitCode = 1
