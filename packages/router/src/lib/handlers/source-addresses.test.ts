import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn } from '../../../test/platform.ts'

const PATH = '/v1/webhooks/source-addresses'
const ADDRESSES = ['198.51.100.0/24', '2001:db8:1::/48']

describe('GET /v1/webhooks/source-addresses', () => {
  it('answers the platform’s addresses to any key, which alone may keep them', async () => {
    const { ask, issue } = await createPlatform({ sourceAddresses: ADDRESSES })
    expect((await ask(PATH)).status).toBe(401)
    const response = await ask(PATH, { token: (await issue([])).token })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ data: ADDRESSES })
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
  })

  it('answers 304 without a body while the ETag is the same', async () => {
    const { ask, issue } = await createPlatform({ sourceAddresses: ADDRESSES })
    const { token } = await issue([])
    const etag = (await ask(PATH, { token })).headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const response = await ask(PATH, { token, headers: { 'if-none-match': known } })
      expect([response.status, response.body, response.headers.get('etag')]).toEqual([304, null, etag])
    }
    expect((await ask(PATH, { token, headers: { 'if-none-match': '"x"' } })).status).toBe(200)
    const other = await createPlatform({ sourceAddresses: ADDRESSES.slice(0, 1) })
    const asked = { token: (await other.issue([])).token, headers: { 'if-none-match': etag } }
    expect((await other.ask(PATH, asked)).status).toBe(200)
  })

  it('answers 404 where the platform has set none', async () => {
    const { ask, issue } = await createPlatform()
    const response = await ask(PATH, { token: (await issue([])).token })
    expect(response.status).toBe(404)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await problemIn(response)).message).toContain('Ask its support')
  })

  it.each([[[]], [['10.0.0.1/8']], [['198.51.100.0/24', '198.51.100.7']], [['example.com']]])(
    'are checked when the platform starts: %j',
    async (sourceAddresses) => {
      await expect(createPlatform({ sourceAddresses })).rejects.toMatchObject({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringMatching(/^sourceAddresses(\[\d\])? must be a /),
      })
    },
  )
})
