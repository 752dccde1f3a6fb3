import { createId } from '@callboard/core'
import { IttyRouter } from 'itty-router'
import { answer } from '../lib/helper.ts'
import { listen } from '../lib/http-server.ts'
import { ACCOUNT, SCOPES } from './account.ts'

const apiKeyId = createId('key')
const router = IttyRouter()
router.get('/v1/me', () => {
  const body = { entity: ACCOUNT, apiKeyId, scopes: SCOPES }
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
})

const replies = { serve: () => listen(router.fetch) }
export type BareReplies = typeof replies

answer(replies)
