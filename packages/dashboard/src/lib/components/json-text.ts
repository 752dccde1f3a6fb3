/**
 * The deepest nesting to indent. Without this limit, 16 KiB of nested brackets would become 134 MB of indented text.
 */
const DEEPEST = 32
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g

/**
 * Indents JSON token by token, so that numbers, key order and escapes stay as written. Text that is not JSON, or is
 * nested deeper than {@link DEEPEST}, is returned unchanged.
 */
export function prettyJson(text: string): string {
  if (!isJson(text)) return text
  let pretty = ''
  let depth = 0
  let before = ''
  const line = (): string => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(TOKEN)) {
    const opened = before === '{' || before === '['
    if (token === '}' || token === ']') {
      depth -= 1
      pretty += opened ? token : line() + token
    } else {
      if (opened || before === ',') pretty += line()
      pretty += token === ':' ? ': ' : token
      if (token === '{' || token === '[') depth += 1
      if (depth > DEEPEST) return text
    }
    before = token
  }
  return pretty
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
