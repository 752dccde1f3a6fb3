// Runs inside a separate network namespace, in which every address belongs to loopback. A connection to any address
// arrives here, where the listeners and the kernel count it.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import process from 'node:process'
import type { TLSSocket } from 'node:tls'
import type { Runtime } from '@callboard/runtimes'
import { makeCertificate, startDns } from '@callboard/testbed'
import type { CanaryReport } from './canary-worker.ts'
import { runCanary } from './run-canary.ts'

export interface NamespaceOptions {
  readonly urls: readonly string[]
  /** The name server's answers for each name, one per lookup. */
  readonly names: readonly (readonly [name: string, ...answers: (readonly string[])[]])[]
  readonly runtimes: readonly Runtime[]
}

export interface NamespaceReport extends CanaryReport {
  readonly runtime: Runtime['name']
  /** The addresses at which connections arrived. */
  readonly reached: readonly string[]
  /** How many connection attempts were made in the namespace: the kernel's count of SYNs sent. */
  readonly begun: number
}

const { urls, names, runtimes }: NamespaceOptions = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

const begun = (): number => {
  const [titles = [], values = []] = readFileSync('/proc/self/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'))
    .map((line) => line.split(' '))
  return Number(values[titles.indexOf('ActiveOpens')])
}

const pems = await makeCertificate('*.hooks.example.com')
let reached: string[] = []
for (const port of [443, 8443, 80]) {
  const server: Server = createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  server.on('connection', (socket: TLSSocket) => reached.push(`${socket.localAddress}`))
  await new Promise<void>((resolve) => server.listen(port, '::', resolve))
}
const dns = await startDns(53)

const reports: NamespaceReport[] = []
for (const runtime of runtimes) {
  for (const [name, ...answers] of names) dns.answer(name, ...answers)
  reached = []
  const before = begun()
  const report = await runCanary({ urls, targets: {}, ca: pems.cert }, runtime)
  reports.push({ ...report, runtime: runtime.name, reached, begun: begun() - before })
}
process.stdout.write(`${JSON.stringify(reports)}\n`, () => process.exit())
