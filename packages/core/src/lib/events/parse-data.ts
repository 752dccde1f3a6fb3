/** Finds every key with an escape sequence. It also matches some strings with quotes, which does no harm. */
const ESCAPE_IN_KEY = /\\.[^"]*":/

/**
 * Parses the JSON text of `data`, as written by `JSON.stringify`. It differs from `JSON.parse` only for texts with an
 * escape sequence in a key: on Node 22 to 26, `JSON.parse` can confuse such keys with each other (V8,
 * https://github.com/nodejs/node/issues/63785).
 */
export function parseData(text: string): object {
  const data: unknown = ESCAPE_IN_KEY.test(text) ? parseByTokens(text) : JSON.parse(text)
  if (typeof data !== 'object' || data === null) throw new TypeError('data is not a JSON object')
  return data
}

const TOKEN = /[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^{}[\]:,"]+/g

/** Parses each string and number on its own, so that `JSON.parse` never sees two keys and cannot confuse them. */
function parseByTokens(text: string): unknown {
  const tokens = text.match(TOKEN) ?? []
  let at = 0
  const value = (): unknown => {
    const token = tokens[at++]
    if (token === '{') return Object.fromEntries(items('}', member))
    if (token === '[') return items(']', value)
    return JSON.parse(token ?? '')
  }
  const member = (): [string, unknown] => {
    const key: string = JSON.parse(tokens[at] ?? '')
    at += 2
    return [key, value()]
  }
  const items = <Item>(end: string, item: () => Item): Item[] => {
    const found: Item[] = []
    while (tokens[at] !== end) {
      if (found.length > 0) at++
      found.push(item())
    }
    at++
    return found
  }
  return value()
}
