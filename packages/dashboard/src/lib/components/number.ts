import type { Call } from '../call.ts'
import type { Count } from '../texts/count.ts'
import { keepFormats } from './keep-formats.ts'

const numbers = keepFormats((language, style: 'decimal' | 'percent') =>
  style === 'decimal'
    ? new Intl.NumberFormat(language)
    : new Intl.NumberFormat(language, { style, maximumFractionDigits: 1 }),
)
const plurals = keepFormats((language, type: 'cardinal') => new Intl.PluralRules(language, { type }))
const wholeSeconds = keepFormats(
  (language, unit: 'second') => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }),
)
const spans = keepFormats((language, unit: 'day' | 'hour' | 'minute' | 'second' | 'millisecond') => {
  const unitDisplay = unit === 'second' || unit === 'millisecond' ? 'narrow' : 'long'
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 })
})

/** A number, in the page's language. */
export function number({ texts }: Pick<Call, 'texts'>, value: number): string {
  return numbers(texts.language, 'decimal').format(value)
}

/** A number for a text whose wording depends on the number, such as “1 event” or “2 events”. */
export function count(call: Pick<Call, 'texts'>, value: number): Count {
  const plural = plurals(call.texts.language, 'cardinal').select(value)
  return { value, text: number(call, value), plural }
}

/** A fraction as a percentage, never rounded up to 100 % or down to 0 %. */
export function percent({ texts }: Pick<Call, 'texts'>, part: number): string {
  const bounded = part > 0.999 && part < 1 ? 0.999 : part > 0 && part < 0.001 ? 0.001 : part
  return numbers(texts.language, 'percent').format(bounded)
}

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A duration such as “312ms” or “1.4s”, rounded down. From one minute up, the unit is a word: “3 minutes”. */
export function duration({ texts }: Pick<Call, 'texts'>, milliseconds: number): string {
  for (const [unit, length] of SPANS)
    if (milliseconds >= length) return spans(texts.language, unit).format(Math.floor(milliseconds / length))
  return milliseconds < 1_000
    ? spans(texts.language, 'millisecond').format(Math.floor(milliseconds))
    : spans(texts.language, 'second').format(Math.floor(milliseconds / 100) / 10)
}

/** How long something has lasted, in words: “40 seconds”, “3 minutes”. At least one second. */
export function span(call: Pick<Call, 'texts'>, milliseconds: number): string {
  const seconds = Math.max(1, Math.floor(milliseconds / 1_000))
  return seconds < 60 ? wholeSeconds(call.texts.language, 'second').format(seconds) : duration(call, milliseconds)
}
