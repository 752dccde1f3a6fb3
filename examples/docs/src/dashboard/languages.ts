import { createDashboard, type Dashboard, type DashboardOptions } from '@callboard/dashboard'
import { german } from '@callboard/dashboard/german'
import { callboard } from '../start/callboard.ts'
import { sessionOf } from './session.ts'

const authorize: DashboardOptions['authorize'] = (request) => {
  const session = sessionOf(request)
  if (session === undefined) return new Response('Sign in first.', { status: 401 })
  return { accountId: session.account, can: ['webhooks.read'] }
}

// #region languages
const inEnglish = createDashboard(callboard, { authorize })
const inGerman = createDashboard(callboard, { authorize, texts: german })

export const dashboard: Dashboard = {
  fetch: (request) => (sessionOf(request)?.language === 'de' ? inGerman : inEnglish).fetch(request),
}
// #endregion
