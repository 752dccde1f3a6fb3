import type { Call } from '../call.ts'

/** A count, in the viewer's locale. */
export function number(call: Pick<Call, 'locale'>, value: number): string {
  return new Intl.NumberFormat(call.locale).format(value)
}

/** A part of 1 as per cent; never rounded up to all or down to none. */
export function percent(call: Pick<Call, 'locale'>, part: number): string {
  const bounded = part > 0.999 && part < 1 ? 0.999 : part > 0 && part < 0.001 ? 0.001 : part
  return new Intl.NumberFormat(call.locale, { style: 'percent', maximumFractionDigits: 1 }).format(bounded)
}

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How long something took: “312ms”, “1.4s”, and from a minute on in words, “3 minutes”. */
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
