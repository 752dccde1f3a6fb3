const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dce3, #363c47); --soft: light-dark(#f4f6f9, #1b1f26);
  --text: light-dark(#1c2430, #e6e9ee); --quiet: light-dark(#5a6575, #9aa5b4); --link: light-dark(#1d4ed8, #8ab4ff) }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: light-dark(#fff, #12151a);
  max-width: 58rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.15rem; margin-top: 2.2rem }
a { color: var(--link) } code, pre { font: .875rem/1.5 ui-monospace, monospace }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto }
.command pre { white-space: pre-wrap; overflow-wrap: anywhere; padding-right: 5rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { border: 1px solid var(--line); padding: .4rem .7rem; text-align: left; vertical-align: top }
.quiet { color: var(--quiet) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .9rem; padding: 0; list-style: none }
.tiles a { display: block; height: 100%; box-sizing: border-box; padding: 1rem 1.1rem; border: 1px solid var(--line);
  border-radius: 10px; background: var(--soft); text-decoration: none; color: inherit }
.tiles a:hover, .tiles a:focus-visible { border-color: var(--link) } .tiles strong { display: block; color: var(--link) }
.command { position: relative } .command button { position: absolute; top: .5rem; right: .5rem; font: inherit;
  font-size: .8rem; padding: .15rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--soft);
  color: inherit; cursor: pointer }`

export interface Page {
  readonly title: string
  /** HTML; the caller has escaped every value in it. */
  readonly body: string
  /** HTML for the end of `<head>`; none by default. */
  readonly head?: string | undefined
}

export function pageResponse({ title, body, head = '' }: Page): Response {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style>${head}</head>
<body>${body}</body>
</html>`
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  })
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
