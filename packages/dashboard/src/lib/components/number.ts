import type { Call } from '../call.ts'
import type { Count } from '../texts/count.ts'

/** A number, in the page's language. */
export function number({ texts }: Pick<Call, 'texts'>, value: number): string {
  return new Intl.NumberFormat(texts.language).format(value)
}

/** A number for a text that depends on it. */
export function count(call: Pick<Call, 'texts'>, value: number): Count {
  const plural = new Intl.PluralRules(call.texts.language).select(value)
  return { value, text: number(call, value), plural }
}

/** A fraction as a percentage, never rounded up to 100 % or down to 0 %. */
export function percent({ texts }: Pick<Call, 'texts'>, part: number): string {
  const bounded = part > 0.999 && part < 1 ? 0.999 : part > 0 && part < 0.001 ? 0.001 : part
  return new Intl.NumberFormat(texts.language, { style: 'percent', maximumFractionDigits: 1 }).format(bounded)
}

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A duration such as “312ms” or “1.4s”. From one minute up, the unit is a word: “3 minutes”. */
export function duration({ texts }: Pick<Call, 'texts'>, milliseconds: number): string {
  const span = SPANS.find(([, length]) => milliseconds >= length)
  const [unit, value] =
    span !== undefined
      ? ([span[0], Math.round(milliseconds / span[1])] as const)
      : milliseconds < 1_000
        ? (['millisecond', Math.round(milliseconds)] as const)
        : (['second', milliseconds / 1_000] as const)
  const unitDisplay = span === undefined ? 'narrow' : 'long'
  const options = { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(texts.language, options).format(value)
}
