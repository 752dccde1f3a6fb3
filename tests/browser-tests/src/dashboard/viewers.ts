import type { DashboardViewer } from '@callboard/dashboard'
import type { Page } from 'playwright-core'

const COOKIE = 'viewer'

export const EVERYTHING: DashboardViewer['can'] = [
  'webhooks.read',
  'webhooks.write',
  'events.read',
  'people.read',
  'keys.read',
  'keys.write',
  'audit.read',
]

/**
 * Signs a viewer in. Cookies ignore ports, so requests from pages of other servers on this machine also carry this
 * cookie.
 */
export async function signIn(page: Page, origin: string, viewer: DashboardViewer): Promise<void> {
  await page
    .context()
    .addCookies([{ name: COOKIE, value: sessionOf(viewer), url: origin, httpOnly: true, sameSite: 'Lax' }])
}

/** The `cookie` header of a signed-in browser. */
export function cookieOf(viewer: DashboardViewer): string {
  return `${COOKIE}=${sessionOf(viewer)}`
}

/** The platform's `authorize`. */
export function viewerOf(request: Request): DashboardViewer | Response {
  const session = /(?:^|; )viewer=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  if (session === undefined) return new Response('Sign in first.', { status: 401 })
  return JSON.parse(Buffer.from(session, 'base64url').toString()) as DashboardViewer
}

function sessionOf(viewer: DashboardViewer): string {
  return Buffer.from(JSON.stringify(viewer)).toString('base64url')
}
