import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { SecretKeys } from '@callboard/core'
import * as z from 'zod'
import { readOrMake } from './kept-file.ts'
import { StartError } from './start-error.ts'

const ring = z.strictObject({ current: z.string(), keys: z.record(z.string(), z.base64()) })

/**
 * The keys that seal signing secrets and sign cursors, made at the first start. A real platform takes them from its
 * secret manager: without them the database's secrets cannot be read, which is their point.
 */
export async function readOrMakeSecretKeys(dataDir: string): Promise<SecretKeys> {
  const path = join(dataDir, 'secret-keys.json')
  const text = await readOrMake(path, () =>
    JSON.stringify({ current: 'k1', keys: { k1: randomBytes(32).toString('base64') } }),
  )
  const parsed = ring.safeParse(parse(text))
  if (!parsed.success)
    throw new StartError(`${path} is not a key ring. Put the former one back, or start afresh without ${dataDir}.`)
  return parsed.data
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
