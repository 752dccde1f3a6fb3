// Writes the files that the tests of the document compare with: first the recorded responses for its examples, then
// openapi.json. `pnpm run openapi` at the root runs it and formats both files.
import { readFileSync, writeFileSync } from 'node:fs'
import { contractDocument } from './contract-document.ts'
import { recordAnswers, withoutChance } from './record-answers.ts'

const examples = new URL('../src/lib/openapi/recorded-answers.json', import.meta.url)
const document = new URL('../openapi.json', import.meta.url)

const recorded = await recordAnswers()
// Ids differ from run to run, so the file is rewritten only when something else changes.
const before: object = JSON.parse(readFileSync(examples, 'utf8'))
if (JSON.stringify(withoutChance(recorded)) !== JSON.stringify(withoutChance(before))) write(examples, recorded)
write(document, await contractDocument())

function write(file: URL, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}
