import * as z from 'zod'

/** A time with milliseconds, ISO 8601 in UTC. */
export const timestamp: z.ZodType<string> = z.iso.datetime({ precision: 3 })

/** A format version. */
export const apiVersion: z.ZodType<string> = z.string().describe('Version of the event format.')

/** The response of a call that lists something. */
export interface ListBody<Item> {
  data: Item[]
  nextCursor: string | null
  hasMore: boolean
}
