import { graphileWorker } from './graphile-worker.ts'
import { pgBoss } from './pg-boss.ts'
import type { Rival } from './rival.ts'

export const RIVALS: Readonly<Record<string, Rival>> = { 'graphile-worker': graphileWorker, 'pg-boss': pgBoss }
