import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { verificationSnippets } from '../../../../../test/verification-snippets.ts'
import { snippets } from './snippets.generated.ts'

describe('the verification snippets', () => {
  it('match the receivers in the docs (run `pnpm docs:code` to update them)', async () => {
    const written = await readFile(new URL('snippets.generated.ts', import.meta.url), 'utf8')
    expect(written).toBe(verificationSnippets())
  })

  it('read the secret from the environment and say what to install', () => {
    expect(snippets.map(({ name }) => name)).toEqual(['Node', 'Python', 'PHP', 'Go', 'Ruby'])
    for (const { name, code } of snippets) {
      expect(code, name).toContain('WEBHOOK_SECRET')
      expect(code, name).toMatch(/^(?:<\?php\n)?(?:#|\/\/) (?:npm|pip|composer|go|gem) /)
    }
  })
})
