// Runs in the process that `measureApart` starts.
import { answer } from './lib/helper.ts'
import type { MeasureOptions, Report, Section } from './lib/section.ts'

const replies = {
  async measure(name: string, options: MeasureOptions): Promise<Report> {
    const { section } = (await import(`./${name}/section.ts`)) as { readonly section: Section }
    return { title: section.title, ...(await section.measure(options)) }
  },
}
export type SectionReplies = typeof replies

answer(replies)
