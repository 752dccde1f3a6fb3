/** Nothing that people read is nested as deep, and a stranger's 16 KiB of brackets alone would be 134 MB of indents. */
const DEEPEST = 32
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g

/**
 * JSON with line breaks and indents, by its tokens: numbers, key order and escapes stay as they were written. What is no JSON, or is nested
 * deeper than {@link DEEPEST}, is left as it is.
 */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let made = ''
  let depth = 0
  let before = ''
  const line = (): string => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(TOKEN)) {
    const opened = before === '{' || before === '['
    if (token === '}' || token === ']') {
      depth -= 1
      made += opened ? token : line() + token
    } else {
      if (opened || before === ',') made += line()
      made += token === ':' ? ': ' : token
      if (token === '{' || token === '[') depth += 1
      if (depth > DEEPEST) return text
    }
    before = token
  }
  return made
}
