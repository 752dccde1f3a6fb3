import { type DashboardTexts, english } from '../src/lib/texts/english.ts'

/** English in which each text is wrapped in ⟦…⟧, so that a text that is not from the catalogue stands out. */
export const pseudoTexts: DashboardTexts = { ...wrapped(english), language: 'en' }

function wrapped<Value>(value: Value): Value
function wrapped(value: unknown): unknown {
  if (typeof value === 'string') return `⟦${value}⟧`
  if (Array.isArray(value)) return value.map((part) => (typeof part === 'string' ? wrapped(part) : part))
  if (typeof value === 'function') return (...input: unknown[]) => wrapped(value(...input.map(wrappedInput)))
  // Parts of a page are returned unchanged. They are objects whose constructor is not `Object`.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wrapped(inner)]))
}

/** A text may pass a part of itself to a function that makes the part a link. The part is wrapped as well. */
function wrappedInput(input: unknown): unknown {
  return typeof input === 'function' ? (text: string) => input(wrapped(text)) : input
}
