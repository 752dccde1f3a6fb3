import { median } from './rounds.ts'
import type { Figure, Goal, Measured, Table } from './section.ts'

/**
 * Rounds a number to three significant digits, or to an integer if that has more digits: `12,345`, `1.23`, `0.0456`.
 */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value.toLocaleString('en', {
    maximumSignificantDigits: Math.max(3, Math.ceil(Math.log10(Math.abs(value) + 1))),
  })
}

/** The median of the rounds. If there are several, the lowest and the highest follow in parentheses. */
export function spread(rounds: readonly number[]): string {
  const middle = figure(median(rounds))
  return rounds.length === 1 ? middle : `${middle} (${figure(Math.min(...rounds))}–${figure(Math.max(...rounds))})`
}

export function holds({ atLeast = -Infinity, atMost = Infinity, rounds }: Goal): boolean {
  const reached = median(rounds)
  return reached >= atLeast && reached <= atMost
}

/** A section's figures and goals: what it is, its limit, what was measured, and whether the limit holds. */
export function rowsOf({ figures, goals }: Measured): readonly (readonly string[])[] {
  return [
    ...figures.map(({ what, rounds }: Figure) => [what, '', spread(rounds), '']),
    ...goals.map((goal) => [goal.what, limits(goal), spread(goal.rounds), holds(goal) ? 'yes' : '**no**']),
  ]
}

function limits({ atLeast, atMost }: Goal): string {
  return [atLeast !== undefined && `≥ ${figure(atLeast)}`, atMost !== undefined && `≤ ${figure(atMost)}`]
    .filter(Boolean)
    .join(' and ')
}

export function formatTable({ columns, rows }: Table): string {
  return [columns, columns.map(() => '---'), ...rows].map(formatRow).join('\n')
}

export function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
