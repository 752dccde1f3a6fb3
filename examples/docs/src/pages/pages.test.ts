import { english } from '@callboard/dashboard'
import { describe, expect, it } from 'vitest'
import { brokenLinks } from './broken-links.ts'
import { fillCodeBlocks, unsourcedBlocks } from './code-blocks.ts'
import { absolute, markdownFiles, readSource } from './repository.ts'

const pages = markdownFiles('docs/*.md')

describe.each(pages)('%s', (page) => {
  it('shows the current code of the files that it names (`pnpm docs:code` updates the page)', () => {
    expect(readSource(page)).toBe(fillCodeBlocks(readSource(page), readSource))
  })

  it('shows no code without a source file, because no test would run that code', () => {
    expect(unsourcedBlocks(readSource(page))).toEqual([])
  })

  it('is listed in docs/README.md', () => {
    if (page !== 'docs/README.md') expect(readSource('docs/README.md')).toContain(`](./${page.slice('docs/'.length)})`)
  })
})

it.each(markdownFiles('*.md', ':!.changeset'))('has no broken links: %s', (file) => {
  expect(brokenLinks(absolute(file))).toEqual([])
})

describe('the glossary', () => {
  const glossary = readSource('docs/glossary.md')

  it('defines at most 30 terms', () => {
    expect(glossary.match(/^\| \*\*/gm)?.length).toBeLessThanOrEqual(30)
  })

  it('lists the word that the dashboard shows for each state of a delivery', () => {
    const rows = Object.entries(english.deliveries.states).map(([state, word]) => `| \`${state}\` | ${word} |`)
    expect(glossary.match(/^\| `\w+` \| \w+ \|/gm)).toEqual(rows)
  })
})

describe('a block of code', () => {
  const source = [
    'before',
    '  // #region a',
    '  one()',
    '  // #region b',
    '    two()',
    '  // #endregion',
    '  // #endregion',
  ]

  it('contains the named region, without its indentation and markers', () => {
    const page = '<!-- code: x.ts#a -->\n```ts\nold()\n```\nafter\n'
    const filled = '<!-- code: x.ts#a -->\n```ts\none()\n  two()\n```\nafter\n'
    expect(fillCodeBlocks(page, () => source.join('\n'))).toBe(filled)
    expect(fillCodeBlocks(filled, () => source.join('\n'))).toBe(filled)
  })

  it('cannot be generated if the region is missing', () => {
    expect(() => fillCodeBlocks('<!-- code: x.ts#c -->\n', () => source.join('\n'))).toThrow('region c is missing')
  })
})
