import type { SectionReplies } from '../run-section.ts'
import { startHelper } from './helper.ts'
import type { MeasureOptions, Report } from './section.ts'

/** Measures one section in a process of its own, so that no other section's heap or compiled code affects it. */
export async function measureApart(name: string, options: MeasureOptions): Promise<Report> {
  const helper = startHelper<SectionReplies>(new URL('../run-section.ts', import.meta.url))
  const report = await helper.ask('measure', name, options)
  await helper.stop()
  return report
}
