import { type Html, html } from '../html.ts'

/** Characters that cannot be seen but change what is: controls (but for line ends and tabs), bidi marks, zero widths, lone surrogates. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/g

/** A stranger's text, isolated from the text around it; what could not be seen in it is named by its code point. */
export function visibleText(text: string): Html {
  return html`<bdi class="strangers">${shown(text)}</bdi>`
}

/** What is named of one text at most: 16 KiB of such characters, in each of 25 answers, took a page 2.7 s and 500 MB. */
const NAMED = 500

/** The parts of it; where nothing is hidden, the text itself. Of too many the rest are marked, not named. */
export function shown(text: string): Html {
  const parts: Html[] = []
  let from = 0
  for (const match of text.matchAll(UNSEEN)) {
    if (parts.length === 2 * NAMED) return [...parts, text.slice(from).replace(UNSEEN, '\ufffd')]
    const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    parts.push(text.slice(from, match.index), html`<span class="code-point">${`U+${code}`}</span>`)
    from = match.index + 1
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)]
}
