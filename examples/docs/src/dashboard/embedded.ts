import { createDashboard } from '@callboard/dashboard'
import { callboard } from '../start/callboard.ts'
import { sessionOf } from './session.ts'

// #region embedded
export const embedded = createDashboard(callboard, {
  basePath: '/settings/webhooks/frame',
  frameAncestors: ["'self'"],
  authorize(request) {
    const session = sessionOf(request)
    if (session === undefined) return new Response('Sign in first.', { status: 401 })
    return { accountId: session.account, can: ['webhooks.read'] }
  },
})
// #endregion
