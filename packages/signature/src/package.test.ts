import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const url = (path: string) => new URL(`../${path}`, import.meta.url)

/** `#crypto` is declared twice, for the workspace and for the published package. Both declarations must agree. */
describe('#crypto in package.json', () => {
  const { types, ...source } = manifest.imports['#crypto']
  const published = manifest.publishConfig.imports['#crypto']

  it('has the same conditions in the same order in the workspace and in the published package', () => {
    expect(Object.keys(published)).toEqual(Object.keys(source))
    expect(Object.keys(source).at(-1)).toBe('default')
  })

  it('maps each condition, when published, to the built version of its source file', () => {
    const built = (path: string, extension: string) => path.replace('./src/', './dist/').replace(/\.ts$/, extension)
    expect(Object.values(published)).toEqual(
      Object.values(source).map((path) => ({ require: built(path, '.cjs'), default: built(path, '.js') })),
    )
    for (const path of [types, ...Object.values(source)]) expect(existsSync(url(path)), path).toBe(true)
  })

  it('resolves to WebCrypto, not node:crypto, by default', () => {
    expect(source.default).toBe('./src/lib/crypto-web.ts')
  })
})
