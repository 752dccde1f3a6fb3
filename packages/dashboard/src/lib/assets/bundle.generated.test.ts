import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { bundleAssets } from '../../../test/bundle-assets.ts'

describe('the script and the styles', () => {
  it('match their sources (run `pnpm assets` to update them)', async () => {
    const written = await readFile(new URL('bundle.generated.ts', import.meta.url), 'utf8')
    expect(written).toBe(await bundleAssets())
  })
})
