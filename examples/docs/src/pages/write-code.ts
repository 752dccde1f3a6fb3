import { writeFileSync } from 'node:fs'
import { fillCodeBlocks } from './code-blocks.ts'
import { absolute, markdownFiles, readSource } from './repository.ts'

// `pnpm docs:code`: updates each block of code in the pages from the source that its comment names.
for (const page of markdownFiles('docs/*.md')) {
  const [before, after] = [readSource(page), fillCodeBlocks(readSource(page), readSource)]
  if (before === after) continue
  writeFileSync(absolute(page), after)
  console.log(`written: ${page}`)
}
