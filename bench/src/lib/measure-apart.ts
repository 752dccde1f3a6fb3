import { fork } from 'node:child_process'
import type { Measured, MeasureOptions } from './section.ts'

export interface Report {
  readonly title: string
  readonly measured: Measured
}

/** Measures one section in a separate process, so that no other section's heap or compiled code affects it. */
export function measureApart(name: string, { quick }: MeasureOptions): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('../run-section.ts', import.meta.url), [name, ...(quick ? ['--quick'] : [])], {
      execArgv: ['--expose-gc'],
    })
    child.once('message', (report) => {
      resolve(report as Report)
      child.disconnect()
    })
    child.once('exit', (code) => reject(new Error(`section ${name} ended without a result (exit ${code})`)))
  })
}
