// Writes the files that `callboard init` creates into src/lib/init/templates.generated.ts. `pnpm docs:code` at the root
// runs this script, and a test checks that the generated file is up to date.
import { writeFileSync } from 'node:fs'
import { initTemplates } from './init-templates.ts'

writeFileSync(new URL('../src/lib/init/templates.generated.ts', import.meta.url), await initTemplates())
