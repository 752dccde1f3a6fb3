import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../test/platform.ts'
import { keyInformation } from '../schemas/key-schemas.ts'

describe('GET /v1/me (section 4.1 of the /v1 contract)', () => {
  it.each([[['webhooks.read', 'people.read']], [[]]] as const)(
    'returns the account, the key and the scopes %j',
    async (scopes) => {
      const { ask, issue } = await createPlatform()
      const { id, token } = await issue(scopes)
      const response = await ask('/v1/me', { token })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      const body = keyInformation.parse(await response.json())
      expect(body).toEqual({ entity: { id: 'acc_1', name: 'Harbour Hall' }, apiKeyId: id, scopes })
    },
  )

  it('ignores query parameters', async () => {
    const { ask, issue } = await createPlatform()
    expect((await ask('/v1/me?limit=0&x', { token: (await issue()).token })).status).toBe(200)
  })

  it('answers each of many concurrent requests with the information about its own key', async () => {
    const { ask, issue } = await createPlatform()
    const keys = await Promise.all(Array.from({ length: 20 }, () => issue([])))
    const answers = await Promise.all(keys.map(async ({ token }) => (await ask('/v1/me', { token })).json()))
    expect(answers.map(({ apiKeyId }) => apiKeyId)).toEqual(keys.map(({ id }) => id))
  })
})
