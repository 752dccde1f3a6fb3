import { access, constants, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from './start-error.ts'

/** `.data/` at the root of the workspace, so that the platform and the receiver agree wherever they are started. */
export function dataDirOf(environment: Readonly<Record<string, string | undefined>>): string {
  return resolve(environment['DATA_DIR'] || fileURLToPath(new URL('../../../.data', import.meta.url)))
}

/** Makes the folder where there is none. Throws a {@link StartError} when files could not be kept in it. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given'
    throw new StartError(`DATA_DIR must be a folder that can be written to. ${dataDir} is not: ${reason}.`)
  }
}
