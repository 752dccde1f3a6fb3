/**
 * Refuses a request that names another host than this machine: a website can point its own name at this machine (DNS
 * rebinding), and the demo's pages show keys to whoever asks.
 */
export function refuseOtherHosts(request: Request): Response | undefined {
  const { hostname } = new URL(request.url)
  if (hostname === 'localhost' || hostname === '127.0.0.1') return undefined
  return new Response('Open this page on localhost.', { status: 403 })
}
