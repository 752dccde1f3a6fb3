// Bundles the browser script and styles into src/lib/assets/bundle.generated.ts, so that platforms need no build step.
// `pnpm assets` at the root runs this script, and a test checks that the generated file is up to date.
import { writeFileSync } from 'node:fs'
import { bundleAssets } from './bundle-assets.ts'

writeFileSync(new URL('../src/lib/assets/bundle.generated.ts', import.meta.url), await bundleAssets())
