// Counts the tests of a run, so that CI does not mistake a run without tests for success. CI reads the last line that
// .ci/run prints, `N passed, N failed`: the sum of all runs. A file that does not load, and an error outside any test,
// count as failed.
import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export function createCountReporter(file: string): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const counts = modules.map(countModule)
      const passed = counts.reduce((sum, count) => sum + count.passed, 0)
      const failed = counts.reduce((sum, count) => sum + count.failed, unhandledErrors.length)
      appendFileSync(file, `${passed} passed, ${failed} failed\n`)
    },
  }
}

function countModule(module: TestModule): { passed: number; failed: number } {
  const passed = [...module.children.allTests('passed')].length
  const failed = [...module.children.allTests('failed')].length
  return { passed, failed: failed === 0 && module.state() === 'failed' ? 1 : failed }
}
