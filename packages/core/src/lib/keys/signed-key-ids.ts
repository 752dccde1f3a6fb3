import { encodePlace, type ListBinding, readPlace, verifyPlace } from '../cursors/cursor-format.ts'
import { createId, idFromUuid, uuidFromId } from '../id.ts'
import type { KeyRing } from '../secrets/key-ring.ts'

/** The id of a key that a form will issue. */
export interface SignedKeyId {
  readonly id: string
  /** The id, signed for its account. The form carries this text. */
  readonly signed: string
}

/**
 * Key ids for forms. A form carries the id of its key, so that posting it twice issues one key. The id is signed for
 * its account, so that nobody can post the id of another account's key.
 */
export interface SignedKeyIds {
  create(accountId: string): Promise<SignedKeyId>
  /** Reads a posted id. Returns a new one for a text that {@link create} did not sign for this account. */
  open(accountId: string, signed: string): Promise<SignedKeyId>
}

export function createSignedKeyIds(keyRing: KeyRing): SignedKeyIds {
  const create = async (accountId: string): Promise<SignedKeyId> => {
    const id = createId('key')
    const place = { number: 0, uuid: uuidFromId('key', id) }
    return { id, signed: await encodePlace(place, bindingOf(accountId), keyRing) }
  }
  return {
    create,
    async open(accountId, signed) {
      const place = readPlace(signed)
      return place !== undefined && (await verifyPlace(place, bindingOf(accountId), keyRing))
        ? { id: idFromUuid('key', place.uuid), signed }
        : create(accountId)
    },
  }
}

function bindingOf(accountId: string): ListBinding {
  return [accountId, null, 'ids of new keys', null]
}
