import { type Html, html } from '../html.ts'

/**
 * Invisible characters that can alter the visible text: control characters (except line breaks and tabs), bidi marks,
 * zero-width characters and lone surrogates.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matching them is the purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/g

/**
 * Renders untrusted text so that its writing direction cannot affect the text around it. Invisible characters are shown
 * as code points.
 */
export function visibleText(text: string): Html {
  return html`<bdi class="strangers">${shown(text)}</bdi>`
}

/** Plain text, such as the title of a browser tab, with U+FFFD in place of invisible characters. */
export function plainText(text: string): string {
  return text.replace(UNSEEN, '\ufffd')
}

/**
 * The maximum number of invisible characters that are shown as code points in one text. Without a limit, a page with 25
 * responses of 16 KiB of such characters took 2.7 s and 500 MB to render.
 */
const NAMED = 500

/**
 * Replaces the first {@link NAMED} invisible characters with their code points, and all further ones with U+FFFD. Text
 * without invisible characters is returned unchanged.
 */
export function shown(text: string): Html {
  const parts: Html[] = []
  let from = 0
  for (const match of text.matchAll(UNSEEN)) {
    if (parts.length === 2 * NAMED) return [...parts, plainText(text.slice(from))]
    const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    parts.push(text.slice(from, match.index), html`<span class="code-point">${`U+${code}`}</span>`)
    from = match.index + 1
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)]
}
