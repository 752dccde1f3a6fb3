import type { Call } from '../../call.ts'
import { field } from '../../components/field.ts'
import type { Html } from '../../html.ts'

const DAY_MS = 86_400_000

const DAYS: Readonly<Record<string, number>> = { '30': 30, '90': 90, '365': 365 }

/** The field for a new key's expiry. */
export function expiryField(value: string): Html {
  return field({
    kind: 'select',
    name: 'expiry',
    label: 'Expires',
    hint: 'When a key expires, it stops working and its subscriptions are disabled. Rotate it before then.',
    value,
    options: [
      { value: '', text: 'Never' },
      { value: '30', text: 'In 30 days' },
      { value: '90', text: 'In 90 days' },
      { value: '365', text: 'In a year' },
    ],
  })
}

/** The chosen expiry. For “Never” and for an unknown choice, it is undefined, so the key never expires. */
export function expiryOf(form: URLSearchParams, { engine }: Call): Date | undefined {
  const chosen = form.get('expiry') ?? ''
  const days = Object.hasOwn(DAYS, chosen) ? DAYS[chosen] : undefined
  return days === undefined ? undefined : new Date(engine.now() + days * DAY_MS)
}
