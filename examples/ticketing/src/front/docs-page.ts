import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Marked } from 'marked'
import { gfmHeadingId } from 'marked-gfm-heading-id'
import { pageResponse } from './page.ts'

const REPOSITORY = new URL('../../../../', import.meta.url)
const PAGES = /^\/(?:README|CONTRIBUTING|SECURITY|(?:docs|decisions|examples|bench|packages\/[\w-]+)\/[\w.-]+)\.md$/

const marked = new Marked(gfmHeadingId())

/** Renders a Markdown page of this repository at its own path, so that the links between the pages work. */
export async function docsPage(pathname: string): Promise<Response | undefined> {
  if (!PAGES.test(pathname)) return undefined
  let text: string
  try {
    text = await readFile(fileURLToPath(new URL(`.${pathname}`, REPOSITORY)), 'utf8')
  } catch {
    return undefined
  }
  const [, title = 'Docs'] = /^# (.+)$/m.exec(text) ?? []
  const home = '<p><a href="/">Back</a> · <a href="/docs/README.md">All pages</a></p>'
  return pageResponse({ title, body: `${home}<main>${await marked.parse(text)}</main>` })
}
