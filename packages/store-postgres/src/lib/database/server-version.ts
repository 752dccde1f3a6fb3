import { CallboardError } from '@callboard/core'

/** The oldest major version of Postgres that Callboard supports. */
export const OLDEST_VERSION = 15

/** SQL for the server's major version. */
export const MAJOR_VERSION = `current_setting('server_version_num')::int / 10000`

export function assertServerVersion(major: number): void {
  if (major < OLDEST_VERSION)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `The database is Postgres ${major}. Callboard needs Postgres ${OLDEST_VERSION} or later; upgrade the server first.`,
    )
}
