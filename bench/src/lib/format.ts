import { median } from './rounds.ts'
import type { Goal, Measured, Table } from './section.ts'

/**
 * Rounds a number to three significant digits, or to an integer if that has more digits: `12,345`, `1.23`, `0.0456`.
 */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value.toLocaleString('en', {
    maximumSignificantDigits: Math.max(3, Math.ceil(Math.log10(Math.abs(value) + 1))),
  })
}

/** The median of the rounds, with the lowest and the highest in parentheses. */
export function spread(rounds: readonly number[]): string {
  return `${figure(median(rounds))} (${figure(Math.min(...rounds))}–${figure(Math.max(...rounds))})`
}

export function holds({
  atLeast = Number.NEGATIVE_INFINITY,
  atMost = Number.POSITIVE_INFINITY,
  rounds,
}: Goal): boolean {
  const reached = median(rounds)
  return reached >= atLeast && reached <= atMost
}

/** A section's part of RESULTS.md. */
export function formatMeasured(title: string, { tables, goals, notes }: Measured): string {
  return [`## ${title}`, ...tables.map(formatTable), formatGoals(goals), ...notes].filter(Boolean).join('\n\n')
}

function formatGoals(goals: readonly Goal[]): string {
  if (goals.length === 0) return ''
  const rows = goals.map((goal) => [goal.what, limits(goal), spread(goal.rounds), holds(goal) ? 'yes' : '**no**'])
  return formatTable({ columns: ['goal', 'limit', 'measured', 'met'], rows })
}

function limits({ atLeast, atMost }: Goal): string {
  return [atLeast !== undefined && `≥ ${figure(atLeast)}`, atMost !== undefined && `≤ ${figure(atMost)}`]
    .filter(Boolean)
    .join(' and ')
}

function formatTable({ columns, rows }: Table): string {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
