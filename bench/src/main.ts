import { parseArgs } from 'node:util'
import { formatTable, holds, rowsOf } from './lib/format.ts'
import { machine } from './lib/machine.ts'
import { measureApart } from './lib/measure-apart.ts'
import { writeSection } from './lib/results-file.ts'
import { SECTIONS } from './sections.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dry: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
})
const unknown = positionals.filter((name) => !SECTIONS.includes(name))
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`No such section: ${unknown.join(', ')}`)
  console.error(`pnpm bench [--dry] [section …]
Measures all sections, or those named, and writes them to RESULTS.md (not with --dry).
Sections: ${SECTIONS.join(', ')}`)
  process.exit(values.help ? 0 : 2)
}

const startedAt = performance.now()
let missed = 0
for (const name of positionals.length > 0 ? SECTIONS.filter((each) => positionals.includes(each)) : SECTIONS) {
  const since = performance.now()
  const report = await measureApart(name, { quick: false })
  const took = `${Math.round((performance.now() - since) / 1000)} s`
  const run = `${new Date().toISOString().slice(0, 10)}, ${machine()}, ${took}.`
  const results = formatTable({ columns: ['', 'limit', 'measured', 'holds'], rows: rowsOf(report) })
  console.log([`## ${report.title}`, ...report.tables.map(formatTable), results, report.method, run, ''].join('\n\n'))
  missed += report.goals.filter((goal) => !holds(goal)).length
  if (!values.dry) await writeSection(name, report, run, SECTIONS)
}
console.log(`${Math.round((performance.now() - startedAt) / 1000)} s in all, goals missed: ${missed}`)
