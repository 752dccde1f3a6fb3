import { graphileWorker } from './graphile-worker.ts'
import { pgBoss } from './pg-boss.ts'
import type { Rival } from './rival.ts'

export type RivalName = 'graphile-worker' | 'pg-boss'

export const RIVALS: Readonly<Record<RivalName, Rival>> = {
  'graphile-worker': graphileWorker,
  'pg-boss': pgBoss,
}
