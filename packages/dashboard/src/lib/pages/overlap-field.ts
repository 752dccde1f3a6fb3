import type { Call } from '../call.ts'
import { field } from '../components/field.ts'
import type { Html } from '../html.ts'

const HOUR_MS = 3_600_000

interface Overlap {
  readonly value: 'day' | 'hour' | 'week' | 'none'
  readonly ms: number
}

/** The choices for how long the old key or secret stays valid after a rotation. The form preselects the first one. */
const OVERLAPS: readonly Overlap[] = [
  { value: 'day', ms: 24 * HOUR_MS },
  { value: 'hour', ms: HOUR_MS },
  { value: 'week', ms: 7 * 24 * HOUR_MS },
  { value: 'none', ms: 0 },
]

/** The field for choosing how long the old key or secret stays valid. */
export function overlapField({ texts }: Pick<Call, 'texts'>, label: string): Html {
  const words = texts.common.overlap
  return field({
    kind: 'select',
    name: 'overlap',
    label,
    hint: words.hint,
    options: OVERLAPS.map(({ value }) => ({ value, text: words[value] })),
  })
}

/** The overlap chosen in a posted form; undefined if it is none of the choices. */
export function overlapOf(form: URLSearchParams): Overlap | undefined {
  return OVERLAPS.find(({ value }) => value === form.get('overlap'))
}
