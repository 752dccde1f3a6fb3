/** The most formatters of a kind to keep. Viewers choose time zones, so without a limit they could fill the memory. */
const MOST = 100

/**
 * Keeps formatters by language and a second choice, such as a time zone. Creating one takes about 100 µs, formatting
 * with it takes 1 µs, and a page has hundreds of numbers and times.
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
