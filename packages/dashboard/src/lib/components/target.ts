import { targetName } from '@callboard/core/engine'
import { type Html, html } from '../html.ts'
import { shown } from './visible-text.ts'

/** The host of a target, followed by its path in a lighter colour. The text can wrap anywhere. */
export function target(url: string): Html {
  const name = targetName(url)
  const host = name.split('/', 1)[0] ?? ''
  return html`<bdi class="target"><span class="target-host">${shown(host)}</span><span class="target-path">${shown(name.slice(host.length))}</span></bdi>`
}
