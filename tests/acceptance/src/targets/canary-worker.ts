// Runs a worker with the default options against many targets, on whichever runtime runs this program, and prints each
// outcome.
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
  /** The reason (such as `blocked`) or the status of each attempt, by URL. */
  readonly results: Readonly<Record<string, string | number | undefined>>
  /** Why the worker did not start. */
  readonly refused?: string | undefined
}

async function report({ urls, targets, ca, egressProxy }: CanaryOptions): Promise<CanaryReport> {
  try {
    // Few requests at once, because Deno reads all certificate authorities again for each connection, which would delay
    // the lookups.
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
