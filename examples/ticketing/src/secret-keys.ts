import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { SecretKeys } from '@callboard/core'
import * as z from 'zod'
import { readOrMake } from './kept-file.ts'
import { StartError } from './start-error.ts'

const ring = z.strictObject({ current: z.string(), keys: z.record(z.string(), z.base64()) })

/**
 * The keys that seal signing secrets and sign cursors, created at the first start. A real platform takes them from its
 * secret manager, so that access to the database alone does not reveal the secrets.
 */
export async function readOrMakeSecretKeys(dataDir: string): Promise<SecretKeys> {
  const path = join(dataDir, 'secret-keys.json')
  const text = await readOrMake(path, () =>
    JSON.stringify({ current: 'k1', keys: { k1: randomBytes(32).toString('base64') } }),
  )
  const parsed = ring.safeParse(parse(text))
  if (!parsed.success)
    throw new StartError(`${path} is not a key ring. Restore the previous file, or remove ${dataDir} to start afresh.`)
  return parsed.data
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
