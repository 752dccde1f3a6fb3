import { join } from 'node:path'
import * as z from 'zod'
import { readKept, replaceKept } from './kept-file.ts'

const access = z.strictObject({ url: z.string(), keyId: z.string(), key: z.string() })

/** How the demo receiver reaches the platform: its address, and the demo account's key. */
export type DemoAccess = z.output<typeof access>

/** Undefined when the platform was never started, or the file is not one of its own. */
export async function readDemoAccess(dataDir: string): Promise<DemoAccess | undefined> {
  const text = await readKept(join(dataDir, 'demo.json'))
  if (text === undefined) return undefined
  try {
    return access.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Kept in a file of its owner alone: keys are stored hashed, so nothing else could tell the receiver. */
export function writeDemoAccess(dataDir: string, demo: DemoAccess): Promise<void> {
  return replaceKept(join(dataDir, 'demo.json'), `${JSON.stringify(demo, null, 2)}\n`)
}
