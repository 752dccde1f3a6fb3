import { access, constants, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from './start-error.ts'

/**
 * Returns `DATA_DIR` as an absolute path. The default is `.data/` at the workspace root, so that the platform and the
 * receiver use the same data wherever each of them is started.
 */
export function dataDirOf(environment: Readonly<Record<string, string | undefined>>): string {
  return resolve(environment['DATA_DIR'] || fileURLToPath(new URL('../../../.data', import.meta.url)))
}

/** Creates the folder if it does not exist. Throws a {@link StartError} if the folder is not writable. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given'
    throw new StartError(`DATA_DIR must be a writable folder. ${dataDir} is not: ${reason}.`)
  }
}
