import type { Measured, Section } from './lib/section.ts'

// Runs in the process that `measureApart` starts.
const name = process.argv[2] ?? ''
const { section } = (await import(`./${name}/section.ts`)) as { readonly section: Section }
const measured: Measured = await section.measure({ quick: process.argv.includes('--quick') })
process.once('disconnect', () => process.exit())
process.send?.({ title: section.title, measured })
