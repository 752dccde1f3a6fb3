/** A form on a page. */
export interface FoundForm {
  readonly method: string
  /** Path and query. */
  readonly action: string
  /** The names and values of the fields. Plausible values replace empty values. */
  readonly fields: [string, string][]
}

export interface FoundPage {
  /** Path and query. */
  readonly path: string
  readonly status: number
  readonly text: string
  readonly forms: readonly FoundForm[]
}

export interface WalkOptions {
  readonly origin: string
  readonly cookie: string
  /** The start pages; the subscriptions by default. */
  readonly from?: readonly string[] | undefined
  /** Names the page at a path. Of several paths with the same name, only the first is read. */
  readonly nameOf: (path: string) => string
}

/** A limit above the number of pages in the dashboard. Reaching it means that `nameOf` is wrong. */
const MOST = 200

/** Follows links from the start pages, and reads one page for each name. */
export async function walk({
  origin,
  cookie,
  from = ['/dashboard/subscriptions'],
  nameOf,
}: WalkOptions): Promise<Map<string, FoundPage>> {
  const found = new Map<string, FoundPage>()
  const waiting = [...from]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const name = nameOf(path)
    if (found.has(name)) continue
    if (found.size === MOST) throw new Error(`more than ${MOST} pages: ${[...found.keys()].slice(-5).join(' ')}`)
    const response = await fetch(origin + path, { headers: { cookie, accept: 'text/html' } })
    const text = await response.text()
    found.set(name, { path, status: response.status, text, forms: formsOf(text, path) })
    for (const [, href = ''] of text.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)) {
      const url = new URL(unescaped(href), origin + path)
      if (url.origin === origin) waiting.push(url.pathname + url.search)
    }
  }
  return found
}

/** The writes that the pages offer, one for each URL. Empty fields are filled with plausible values. */
export function postForms(pages: ReadonlyMap<string, FoundPage>): { action: string; body: URLSearchParams }[] {
  const forms = new Map<string, URLSearchParams>()
  for (const { forms: found } of pages.values())
    for (const { method, action, fields } of found)
      if (method === 'post' && !forms.has(action)) forms.set(action, new URLSearchParams(fields))
  return [...forms].map(([action, body]) => ({ action, body }))
}

function formsOf(text: string, path: string): FoundForm[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', content = '']) => ({
    method: (attribute(attributes, 'method') ?? 'get').toLowerCase(),
    action: attribute(attributes, 'action') ?? path,
    fields: [...content.matchAll(/<(?:input|select|textarea|button)\b([^>]*)>/g)].flatMap(([, input = '']) => {
      const name = attribute(input, 'name')
      return name === undefined ? [] : [[name, attribute(input, 'value') || 'https://127.0.0.1/x'] as [string, string]]
    }),
  }))
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? undefined : unescaped(value)
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
