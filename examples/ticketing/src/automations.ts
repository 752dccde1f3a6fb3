import { createServer, type Server } from 'node:https'
import { join } from 'node:path'
import { readKept, replaceKept } from './kept-file.ts'

/** Automations of the shop's customers, to give the dashboard something to show: one works, one fails, one is gone. */
const AUTOMATIONS: readonly Automation[] = [
  {
    path: '/door-list',
    integration: 'zapier',
    externalRef: 'Door list',
    eventTypes: ['order.paid', 'attendee.checked_in'],
  },
  { path: '/newsletter', integration: 'make', externalRef: 'Newsletter', eventTypes: ['order.paid'] },
  { path: '/old-crm', integration: 'n8n', externalRef: 'Old CRM', eventTypes: ['order.paid'] },
]

interface Automation {
  readonly path: string
  readonly integration: string
  readonly externalRef: string
  readonly eventTypes: readonly string[]
}

export interface Automations {
  /** Makes the newsletter automation accept deliveries. Until then, it answers each one with a 500. */
  mendNewsletter(): void
  /** Makes the newsletter automation fail again. */
  breakNewsletter(): void
  close(): Promise<void>
}

export interface AutomationsOptions {
  readonly dataDir: string
  readonly certificate: { readonly key: string; readonly cert: string }
  /** Calls `/v1` with the key of the customer who enables the automations. */
  readonly api: (path: string, init: { readonly method: string; readonly body?: string }) => Promise<Response>
}

/**
 * Starts the automations on this machine, and subscribes them as automation tools do when somebody enables a workflow.
 */
export async function startAutomations({ dataDir, certificate, api }: AutomationsOptions): Promise<Automations> {
  let isMended = false
  const server = createServer(certificate, (request, response) => {
    request.resume()
    const [status, text] = answer(request.url, isMended)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message: text }))
  })
  const port = await listen(server, join(dataDir, 'automations-port'))
  for (const { path, ...automation } of AUTOMATIONS) {
    const body = JSON.stringify({ ...automation, targetUrl: `https://localhost:${port}${path}` })
    const response = await api('/v1/webhooks/subscriptions', { method: 'POST', body })
    if (!response.ok) throw new Error(`the automation ${path} could not subscribe: ${response.status}`)
  }
  return {
    mendNewsletter() {
      isMended = true
    },
    breakNewsletter() {
      isMended = false
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(path: string | undefined, isMended: boolean): [status: number, message: string] {
  if (path === '/old-crm') return [410, 'This workflow was deleted.']
  if (path === '/newsletter' && !isMended)
    return [500, 'The mailing list is full. (This fails on purpose: npm start has printed how to fix it.)']
  return [200, 'Thank you.']
}

/**
 * Listens on the same port as after the previous start, so that the subscriptions' target URLs stay the same. If that
 * port is in use, listens on any free port.
 */
async function listen(server: Server, file: string): Promise<number> {
  const kept = Number((await readKept(file)) ?? 0)
  const port = await tryPort(server, kept).catch(() => tryPort(server, 0))
  if (port !== kept) await replaceKept(file, String(port))
  return port
}

function tryPort(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
