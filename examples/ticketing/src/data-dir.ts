import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `.data/` at the root of the workspace, so that the platform and the receiver agree wherever they are started. */
export function dataDirOf(environment: Readonly<Record<string, string | undefined>>): string {
  return resolve(environment['DATA_DIR'] || fileURLToPath(new URL('../../../.data', import.meta.url)))
}
