import type { Call } from '../call.ts'

/** A count, in the viewer's locale. */
export function number(call: Pick<Call, 'locale'>, value: number): string {
  return new Intl.NumberFormat(call.locale).format(value)
}

/** A fraction as a percentage, never rounded up to 100 % or down to 0 %. */
export function percent(call: Pick<Call, 'locale'>, part: number): string {
  const bounded = part > 0.999 && part < 1 ? 0.999 : part > 0 && part < 0.001 ? 0.001 : part
  return new Intl.NumberFormat(call.locale, { style: 'percent', maximumFractionDigits: 1 }).format(bounded)
}

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A duration such as “312ms” or “1.4s”. From one minute up, the unit is a word: “3 minutes”. */
export function duration(call: Pick<Call, 'locale'>, milliseconds: number): string {
  const span = SPANS.find(([, length]) => milliseconds >= length)
  const [unit, value] =
    span !== undefined
      ? ([span[0], Math.round(milliseconds / span[1])] as const)
      : milliseconds < 1_000
        ? (['millisecond', Math.round(milliseconds)] as const)
        : (['second', milliseconds / 1_000] as const)
  const unitDisplay = span === undefined ? 'narrow' : 'long'
  return new Intl.NumberFormat(call.locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 }).format(
    value,
  )
}
