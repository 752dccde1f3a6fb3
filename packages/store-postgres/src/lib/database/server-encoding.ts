import { CallboardError } from '@callboard/core'

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
