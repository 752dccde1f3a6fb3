/**
 * Each function from {@link keepFormats} keeps at most this many formatters. Otherwise viewers could fill the memory by
 * changing time zones.
 */
const MOST = 100

/**
 * Keeps the formatter for each language and `choice`, such as a time zone. Creating a formatter takes about 100 µs,
 * using one takes 1 µs, and a page has hundreds of numbers and times.
 */
export function keepFormats<Format, Choice extends string = string>(
  create: (language: string, choice: Choice) => Format,
): (language: string, choice: Choice) => Format {
  const kept = new Map<string, Format>()
  return (language, choice) => {
    const key = `${language} ${choice}`
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size === MOST) kept.clear()
    const created = create(language, choice)
    kept.set(key, created)
    return created
  }
}
