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

export const SERVER_ENCODING = `select current_setting('server_encoding') as encoding`

/**
 * Refuses a database with another encoding than UTF8, which cannot store every text that an event or a response may
 * have, or, with SQL_ASCII, stores bytes that are no text.
 */
export function assertEncoding(encoding: string): void {
  if (encoding !== 'UTF8')
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `The database has the encoding ${encoding}, which cannot store every text. Use one that was created with ` +
        `"create database … encoding 'UTF8' template template0".`,
    )
}
