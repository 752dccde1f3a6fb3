import { type DashboardTexts, english } from '../src/lib/texts/english.ts'

/** English in which each text is wrapped in ⟦…⟧, so that a text that is not from the catalogue stands out. */
export const pseudoTexts: DashboardTexts = { ...wrapped(english), language: 'en' }

function wrapped<Value>(value: Value): Value
function wrapped(value: unknown): unknown {
  if (typeof value === 'string') return `⟦${value}⟧`
  if (Array.isArray(value)) return value.map((part) => (typeof part === 'string' ? wrapped(part) : part))
  if (typeof value === 'function') return (...input: unknown[]) => wrapped(value(...input.map(wrappedInput)))
  // The parts of a page are objects with a constructor of their own or none.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wrapped(inner)]))
}

/** A text may pass parts of itself to a function, which puts them in a link. */
function wrappedInput(input: unknown): unknown {
  return typeof input === 'function' ? (text: string) => input(wrapped(text)) : input
}
