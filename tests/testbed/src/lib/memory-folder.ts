import { readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** Enough for the servers of two test runs at once. In a container of Docker, the folder usually has 64 MB. */
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * Returns a folder in memory for the data of short-lived servers, or the folder for temporary files if there is none
 * with enough space. A migration creates about 130 files, which takes four times as long on a disk.
 */
export async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize < NEEDED_BYTES ? tmpdir() : MEMORY
}

/** Removes the folders in memory of processes that were killed. The name of each folder is `prefix`, the id of its process, and `-`. */
export async function removeLeftovers(prefix: string): Promise<void> {
  const names = await readdir(MEMORY).catch(() => [])
  const left = names.filter(
    (name) => name.startsWith(prefix) && !isAlive(Number.parseInt(name.slice(prefix.length), 10)),
  )
  await Promise.all(left.map((name) => rm(join(MEMORY, name), { recursive: true, force: true })))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
