import { CallboardError, type KeyRecord } from '@callboard/core'
import type { Call } from '../../call.ts'

/** Finds the key that the path names, in the viewer's account and mode only. Throws `NOT_FOUND`. */
export async function askedKey({ callboard, accountId, mode, params: { id = '' } }: Call): Promise<KeyRecord> {
  const found = await callboard.keys.find({ accountId, id })
  if (found === undefined || found.mode !== mode) throw new CallboardError('NOT_FOUND', 'There is no such key.')
  return found
}
