import { describe, expect, it } from 'vitest'
import { brokenLinks } from './broken-links.ts'
import { fillCodeBlocks, unsourcedBlocks } from './code-blocks.ts'
import { absolute, markdownFiles, readSource } from './repository.ts'

const pages = markdownFiles('docs/*.md')

describe.each(pages)('%s', (page) => {
  it('shows code as it is in the file that it names; if not, pnpm docs:code', () => {
    expect(readSource(page)).toBe(fillCodeBlocks(readSource(page), readSource))
  })

  it('shows no code of its own, which no test would run', () => {
    expect(unsourcedBlocks(readSource(page))).toEqual([])
  })

  it('is in the index', () => {
    if (page !== 'docs/README.md') expect(readSource('docs/README.md')).toContain(`](./${page.slice('docs/'.length)})`)
  })
})

it.each(markdownFiles('*.md', ':!.changeset'))('links from %s lead somewhere', (file) => {
  expect(brokenLinks(absolute(file))).toEqual([])
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

  it('is the named region, its indentation and markers left out', () => {
    const page = '<!-- code: x.ts#a -->\n```ts\nold()\n```\nafter\n'
    const filled = '<!-- code: x.ts#a -->\n```ts\none()\n  two()\n```\nafter\n'
    expect(fillCodeBlocks(page, () => source.join('\n'))).toBe(filled)
    expect(fillCodeBlocks(filled, () => source.join('\n'))).toBe(filled)
  })

  it('fails when the region is gone', () => {
    expect(() => fillCodeBlocks('<!-- code: x.ts#c -->\n', () => source.join('\n'))).toThrow('no whole region c')
  })
})
