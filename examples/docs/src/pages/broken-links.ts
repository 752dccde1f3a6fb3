import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Slugger from 'github-slugger'

/** The links in a Markdown file that lead to a missing file or heading. Web addresses are not checked. */
export function brokenLinks(path: string): string[] {
  return linksOf(readFileSync(path, 'utf8')).filter((link) => {
    if (/^[a-z]+:/i.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : resolve(dirname(path), decodeURI(file))
    if (!existsSync(target)) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(readFileSync(target, 'utf8')).has(anchor)
  })
}

const prose = (page: string): string => page.replace(/^(`{3,}).*?^\1/gms, '')

function linksOf(page: string): string[] {
  const text = prose(page).replace(/`[^`\n]*`/g, 'code')
  const inline = [...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)]
  const defined = [...text.matchAll(/^\[[^\]]+\]: (\S+)/gm)]
  return [...inline, ...defined].flatMap(([, link]) => link ?? [])
}

/** The anchors that GitHub derives from the headings of a page; a repeated heading gets a number. */
function anchorsOf(page: string): Set<string> {
  const slugger = new Slugger()
  const headings = [...prose(page).matchAll(/^#{1,6} (.+)$/gm)]
  return new Set(headings.map(([, text = '']) => slugger.slug(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))))
}
