// A worker with nothing but defaults, on whatever runtime runs this, that tries many targets. Prints what became of each.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { type AddressPolicy, isCallboardError } from '@callboard/core'
import type { EgressProxy } from '@callboard/delivery'
import { tryTargets } from './try-targets.ts'

export interface CanaryOptions {
  readonly urls: readonly string[]
  readonly targets: AddressPolicy
  readonly ca: string
  readonly egressProxy?: EgressProxy | undefined
}

export interface CanaryReport {
  /** By URL: `blocked` and the like, or the status. */
  readonly results: Readonly<Record<string, string | number | undefined>>
  /** Why the worker did not start. */
  readonly refused?: string | undefined
}

async function report({ urls, targets, ca, egressProxy }: CanaryOptions): Promise<CanaryReport> {
  try {
    // Few at once: Deno reads all authorities anew for each connection, and look-ups must not wait for that.
    const few = { lanes: 8, slowLanes: 8 }
    const attempts = await tryTargets(urls, targets, { extraCaCertificates: [ca], egressProxy, ...few })
    return { results: Object.fromEntries([...attempts].map(([url, { reason, status }]) => [url, reason ?? status])) }
  } catch (error) {
    if (!isCallboardError(error)) throw error
    return { results: {}, refused: error.code }
  }
}

process.stdout.write(`${JSON.stringify(await report(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))))}\n`, () =>
  process.exit(),
)
