import type { Call } from '../../call.ts'
import { field } from '../../components/field.ts'
import { count } from '../../components/number.ts'
import type { Html } from '../../html.ts'

const DAY_MS = 86_400_000

const DAYS: Readonly<Record<string, number>> = { '30': 30, '90': 90, '365': 365 }

/** The field for a new key's expiry. */
export function expiryField(call: Pick<Call, 'texts'>, value: string): Html {
  const { common, keys } = call.texts
  const { title, hint, days, year } = keys.expiry
  return field({
    kind: 'select',
    name: 'expiry',
    label: title,
    hint,
    value,
    options: [
      { value: '', text: common.never },
      { value: '30', text: days(count(call, 30)) },
      { value: '90', text: days(count(call, 90)) },
      { value: '365', text: year },
    ],
  })
}

/** The chosen expiry. For “Never” and for an unknown choice, it is undefined, so the key never expires. */
export function expiryOf(form: URLSearchParams, { engine }: Call): Date | undefined {
  const chosen = form.get('expiry') ?? ''
  const days = Object.hasOwn(DAYS, chosen) ? DAYS[chosen] : undefined
  return days === undefined ? undefined : new Date(engine.now() + days * DAY_MS)
}
