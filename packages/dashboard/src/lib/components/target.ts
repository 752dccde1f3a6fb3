import { type Html, html } from '../html.ts'
import { shown, visibleText } from './visible-text.ts'

/** The host of a target, by which people recognise the target. */
export function host(url: string): Html {
  return visibleText(URL.canParse(url) ? new URL(url).host : url)
}

/** The host and the path of a target as plain text, for the title of a browser tab. */
export function plainTarget(url: string): string {
  if (!URL.canParse(url)) return url
  const { host: name, pathname } = new URL(url)
  return pathname === '/' ? name : name + pathname
}

/** The host of a target, followed by the rest of the URL in a lighter colour. The text can wrap anywhere. */
export function target(url: string): Html {
  if (!URL.canParse(url)) return visibleText(url)
  const { host: name, pathname, search } = new URL(url)
  const rest = pathname === '/' && search === '' ? '' : pathname + search
  return html`<bdi class="target"><span class="target-host">${shown(name)}</span><span class="target-path">${shown(rest)}</span></bdi>`
}
