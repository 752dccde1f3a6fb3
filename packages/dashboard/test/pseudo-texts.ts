import { type DashboardTexts, english } from '../src/lib/texts/english.ts'

/** The English texts, each wrapped in ⟦…⟧. On a page, a text that is not one of `DashboardTexts` stands out. */
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

/** Some texts take a function that turns a part of the text into a link. That part is wrapped as well. */
function wrappedInput(input: unknown): unknown {
  return typeof input === 'function' ? (text: string) => input(wrapped(text)) : input
}
