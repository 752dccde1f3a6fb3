import type { Versions, VersionUse } from '@callboard/core'
import type { Finding } from '@callboard/core/store'

/** Checks that the catalogue has every format version in use, and reports the deprecated versions in use. */
export async function checkVersions(versions: Pick<Versions, 'list'>, now: number): Promise<Finding> {
  const check = 'versions'
  const inUse = (await versions.list()).filter(
    ({ subscriptions, keys, events = 0 }) => subscriptions + keys + events > 0,
  )
  const missing = inUse.filter(({ version, servedAs }) => version !== servedAs)
  const deprecated = inUse.filter(
    ({ version, servedAs, retirement }) =>
      version === servedAs && retirement?.deprecated !== undefined && Date.parse(retirement.deprecated) <= now,
  )
  if (missing.length > 0)
    return {
      check,
      verdict: 'warning',
      message: `in use, but ended or not in the catalogue: ${missing.map(useOf).join(', ')}`,
      advice:
        'Keys and subscriptions pinned to them get the next newer version. Restore these versions in the catalogue, ' +
        'or run `callboard versions move`.',
    }
  return deprecated.length === 0
    ? { check, verdict: 'ok', message: 'nothing uses a deprecated or missing format version' }
    : { check, verdict: 'ok', message: `deprecated, but still in use: ${deprecated.map(useOf).join(', ')}` }
}

function useOf({ version, subscriptions, keys, events, retirement }: VersionUse): string {
  const counts = [
    `${subscriptions} subscriptions`,
    `${keys} keys`,
    ...(events === undefined ? [] : [`${events} events`]),
    ...(retirement?.sunset === undefined ? [] : [`sunset ${retirement.sunset}`]),
  ]
  return `${version} (${counts.join(', ')})`
}
