import { field } from '../components/field.ts'
import type { Html } from '../html.ts'

const HOUR_MS = 3_600_000

interface Overlap {
  readonly value: string
  readonly text: string
  readonly ms: number
}

/** How long the old key or secret can stay valid after a rotation. The form preselects the first choice. */
const OVERLAPS: readonly Overlap[] = [
  { value: 'day', text: '24 hours', ms: 24 * HOUR_MS },
  { value: 'hour', text: '1 hour', ms: HOUR_MS },
  { value: 'week', text: '7 days', ms: 7 * 24 * HOUR_MS },
  { value: 'none', text: 'No time: it stops immediately', ms: 0 },
]

/** The field that chooses how long the old key or secret stays valid. */
export function overlapField(label: string): Html {
  return field({
    kind: 'select',
    name: 'overlap',
    label,
    hint: 'Choose how long you need to replace it. If it has leaked, choose “No time”.',
    options: OVERLAPS,
  })
}

/** The overlap chosen in a posted form; undefined if it is none of the choices. */
export function overlapOf(form: URLSearchParams): Overlap | undefined {
  return OVERLAPS.find(({ value }) => value === form.get('overlap'))
}
