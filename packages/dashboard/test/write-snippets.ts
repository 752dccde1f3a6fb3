// Writes the example receivers of the docs into src/lib/pages/subscriptions/verification/snippets.generated.ts.
// `pnpm docs:code` at the root runs this script, and a test checks that the generated file is up to date.
import { writeFileSync } from 'node:fs'
import { verificationSnippets } from './verification-snippets.ts'

writeFileSync(
  new URL('../src/lib/pages/subscriptions/verification/snippets.generated.ts', import.meta.url),
  verificationSnippets(),
)
