// Writes the two files that document.test.ts checks: first the recorded responses, which the document shows as
// examples, and then openapi.json. `pnpm run openapi` in the root folder runs this script and formats both files.
import { readFileSync, writeFileSync } from 'node:fs'
import { contractDocument } from './contract-document.ts'
import { recordAnswers, withoutChance } from './record-answers.ts'

const examples = new URL('../src/lib/openapi/recorded-answers.json', import.meta.url)
const document = new URL('../openapi.json', import.meta.url)

const recorded = await recordAnswers()
// Ids differ from run to run, so the recorded responses are rewritten only when something else has changed.
const before: object = JSON.parse(readFileSync(examples, 'utf8'))
if (JSON.stringify(withoutChance(recorded)) !== JSON.stringify(withoutChance(before))) write(examples, recorded)
write(document, await contractDocument())

function write(file: URL, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}
