import { createId } from '@callboard/core'
import { IttyRouter } from 'itty-router'
import { serveParent } from '../lib/serve.ts'
import { ACCOUNT, SCOPES } from './account.ts'

const apiKeyId = createId('key')
const router = IttyRouter()
router.get('/v1/me', () => {
  const body = { entity: ACCOUNT, apiKeyId, scopes: SCOPES }
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
})
serveParent(router.fetch)
