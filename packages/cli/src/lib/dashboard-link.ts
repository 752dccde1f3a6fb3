import type { Owner } from '@callboard/core'
import { wrongUsage } from './command-error.ts'
import type { CallboardConfig } from './define-config.ts'
import type { Columns } from './table.ts'

/**
 * Returns a field with the address of a page of the dashboard, or no field if the config module does not say where the
 * dashboard is. `path` is the page's path below the dashboard's own.
 *
 * @throws CommandError if the dashboard's address is not a URL.
 */
export function dashboardLink(
  { dashboardUrl }: Pick<CallboardConfig, 'dashboardUrl'>,
  { accountId, mode = 'live' }: Owner,
  path: readonly string[],
): Columns<unknown> {
  if (dashboardUrl === undefined) return {}
  const base = typeof dashboardUrl === 'string' ? dashboardUrl : dashboardUrl({ accountId, mode })
  if (!URL.canParse(base))
    throw wrongUsage('`dashboardUrl` in the config module must be a whole URL, such as https://app.example/webhooks.')
  const url = new URL(base)
  url.pathname = [url.pathname.replace(/\/$/, ''), ...path.map(encodeURIComponent)].join('/')
  return { dashboard: () => url.href }
}
