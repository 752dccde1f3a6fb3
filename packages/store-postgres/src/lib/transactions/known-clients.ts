import type { SqlClient } from '../database/database.ts'

const known = new WeakSet<object>()

/**
 * Whether clients of this kind answer queries with `{ rows }`. Clients of one class count as one kind; an object
 * without a class of its own is a kind of its own.
 */
export function isKnownClient(client: SqlClient): boolean {
  return known.has(kindOf(client))
}

/** Remembers that clients of this kind answer queries with `{ rows }`. */
export function addKnownClient<Client extends SqlClient>(client: Client): Client {
  known.add(kindOf(client))
  return client
}

function kindOf(client: object): object {
  const prototype: object | null = Object.getPrototypeOf(client)
  return prototype === null || prototype === Object.prototype ? client : prototype
}
