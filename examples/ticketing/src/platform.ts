import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createCallboard, isCallboardError } from '@callboard/core'
import { createDashboard, english } from '@callboard/dashboard'
import { german } from '@callboard/dashboard/german'
import { createTestSender, runUntilIdle, startWorker } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { type Automations, startAutomations } from './automations.ts'
import { catalog } from './catalogue/catalog.ts'
import { descriptions } from './catalogue/descriptions.ts'
import { openPgDatabase } from './database/pg-database.ts'
import { openPgliteDatabase } from './database/pglite-database.ts'
import { DEMO_ACCOUNT, type DemoKey, findOrIssueDemoKey } from './demo-account.ts'
import { readOrMakeDemoCertificate } from './demo-certificate.ts'
import { createDemoRoutes } from './demo-routes/demo-routes.ts'
import { createDemoKeys } from './demo-routes/keys.ts'
import { demoViewer } from './demo-viewer.ts'
import type { Environment } from './environment.ts'
import { createFront } from './front/front.ts'
import { readOrMake } from './kept-file.ts'
import { readOrMakeSecretKeys } from './secret-keys.ts'
import { createShop } from './shop.ts'
import { createPastClock, playDay } from './simulated-day.ts'
import { startSimulation } from './simulation.ts'
import { StartError } from './start-error.ts'

export interface TicketingPlatform {
  /**
   * Handles requests to `/`, `/reference`, `/docs`, `/v1`, `/dashboard`, `/demo/*` and `/health`. The last of these is
   * for readiness probes.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** The location of the platform's data, for the start-up log. */
  readonly place: string
  readonly adminToken: string
  readonly demoKey: DemoKey
  /** How many orders the database had at the start. */
  readonly orders: number
  /**
   * Waits for deliveries in flight, and then stops. A second call aborts these deliveries. Calling it is optional,
   * because even `kill -9` loses nothing.
   */
  close(): Promise<void>
}

export interface TicketingPlatformOptions extends Omit<Environment, 'port'> {
  /** Receives warnings and errors. They contain no secrets and no personal data. */
  readonly log: (line: string) => void
}

/** The targets that `ALLOW_LOOPBACK_TARGETS` allows: receivers on this machine, on any port. */
const LOOPBACK_TARGETS = {
  allowedHostNames: ['localhost'],
  allowedCidrs: ['127.0.0.0/8', '::1/128'],
  allowedPorts: 'any',
} as const

/** Creates the example platform, a ticket shop: one process, with one database for its own tables and Callboard's. */
export async function createTicketingPlatform(options: TicketingPlatformOptions): Promise<TicketingPlatform> {
  const { dataDir, databaseUrl, log } = options
  const onError = (error: unknown, { requestId }: { readonly requestId?: string | undefined } = {}): void =>
    log(`${requestId === undefined ? 'error' : `error in request ${requestId}`}: ${describe(error)}`)

  const secretKeys = await readOrMakeSecretKeys(dataDir)
  const certificate = await readOrMakeDemoCertificate(dataDir)
  const adminToken =
    options.adminToken ?? (await readOrMake(join(dataDir, 'admin-token'), () => randomBytes(24).toString('base64url')))
  const database = databaseUrl === undefined ? await openPgliteDatabase(dataDir) : await openPgDatabase(databaseUrl)
  try {
    // Only the store in memory takes a clock, so a simulated day is lost when the platform stops.
    const clock = options.simulateDay ? createPastClock() : undefined
    const place = clock === undefined ? database.place : 'a simulated day in memory, lost at the end (SIMULATE_DAY=1)'
    const now = clock?.now ?? Date.now
    const callboard = createCallboard({
      catalog,
      store: clock === undefined ? database.store : createMemoryStore(clock),
      now,
      secretKeys,
      targets: options.allowLoopbackTargets ? LOOPBACK_TARGETS : {},
      publicUrl: options.publicUrl,
      onError,
      onSubscriptionDisabled: ({ id, reason }) => log(`subscription ${id} was disabled: ${reason}`),
      log: ({ level, message, fields }) => {
        if (level === 'warn' || level === 'error') log(`${level}: ${message} ${JSON.stringify(fields ?? {})}`)
      },
    })
    const keys = createDemoKeys({ callboard, database, demoAccount: DEMO_ACCOUNT })
    const demoKey = await findOrIssueDemoKey(callboard, keys, dataDir)
    const shop = createShop({ database, callboard, accountId: DEMO_ACCOUNT, now })
    const orders = await shop.countOrders()
    const extraCaCertificates = [certificate.cert, ...options.extraCaCertificates]
    const tests = createTestSender(callboard, { extraCaCertificates })
    const closing = new AbortController()
    const router = createRouter(callboard, { tests, closing: closing.signal })
    const dashboard = createDashboard(callboard, {
      authorize: demoViewer,
      describe: (descriptionKey) => descriptions[options.dashboardLanguage][descriptionKey],
      texts: options.dashboardLanguage === 'de' ? german : english,
      tests,
    })
    let automations: Automations | undefined
    const demo = createDemoRoutes({
      callboard,
      shop,
      keys,
      demoAccount: DEMO_ACCOUNT,
      adminToken,
      onError,
      mendNewsletter: () => automations?.mendNewsletter(),
    })
    if (options.simulate && options.allowLoopbackTargets)
      automations = await startAutomations({
        dataDir,
        certificate,
        api: (path, init) =>
          router.fetch(new Request(`http://localhost${path}`, { ...init, headers: apiHeaders(demoKey) })),
      })
    if (clock !== undefined)
      await playDay({
        clock,
        shop,
        deliver: () => runUntilIdle(callboard, { deadlineMs: 30_000, extraCaCertificates }),
        atHoursLeft: { 24: () => automations?.mendNewsletter(), 3: () => automations?.breakNewsletter() },
      })
    const front = createFront({
      listAccounts: () => callboard.accounts.list({ limit: 20 }),
      demoKey,
      adminToken,
      place,
      simulate: options.simulate,
    })
    const worker = await startWorker(callboard, {
      // No other process has the embedded database open (folder-lock.ts), so any lease in it belongs to a killed
      // process.
      soleWorker: databaseUrl === undefined,
      // After a `kill -9`, the deliveries in flight wait until the leases of the killed process expire. A lease must be
      // longer than an attempt, which can take 15 s.
      leaseMs: 20_000,
      retrySchedule: options.retrySchedule,
      extraCaCertificates,
    })
    const simulation = options.simulate ? startSimulation(shop, onError) : undefined

    const health = async (): Promise<Response> => {
      // Anybody can request `/health`, so the response leaves out `heldBack`, which names customers' hosts.
      const [store, { heldBack: _, ...delivery }] = [await callboard.health(), worker.health()]
      const ok = store.ok && delivery.ok && delivery.state === 'running'
      return Response.json({ ok, callboard: store, worker: delivery }, { status: ok ? 200 : 503 })
    }
    const stop = async (): Promise<void> => {
      await simulation?.stop()
      await worker.stopped
      await tests.close()
      await automations?.close()
      await database.close()
    }
    let stopping: Promise<void> | undefined
    return {
      place,
      adminToken,
      demoKey,
      orders,
      async fetch(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/demo' || pathname.startsWith('/demo/')) return demo(request)
        if (pathname === '/dashboard' || pathname.startsWith('/dashboard/')) return dashboard.fetch(request)
        if (pathname === '/health') return health()
        return (await front(request)) ?? router.fetch(request)
      },
      close() {
        closing.abort()
        void worker.stop()
        stopping ??= stop()
        return stopping
      },
    }
  } catch (error) {
    await database.close()
    if (isCallboardError(error, 'CONFIGURATION_INVALID') && error.message.startsWith('secretKeys '))
      throw new StartError(
        `The key ring in DATA_DIR (${dataDir}) opens none of the secrets in this database: another key ring sealed ` +
          'them. Set DATA_DIR to the folder with that key ring, or use an empty database.',
      )
    throw error
  }
}

function apiHeaders({ key }: DemoKey): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

/**
 * Describes an error for the operator's log. Shows only the code of a database error, because its message can contain a
 * customer's values.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? ` ${String(error.code)}` : ''
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`
  return 'severity' in error ? `database error${code}${cause}` : `${error.stack ?? error.message}${code}${cause}`
}
