import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { type CallboardConfig, defineConfig } from 'callboard'
import * as z from 'zod'
import { openPlatform } from './callboard.ts'

const { callboard, pool } = openPlatform(process.env['DATABASE_URL'])
const guestInvited = defineEventType({
  name: 'guest.invited',
  family: 'guests',
  descriptionKey: 'events.guest_invited',
  schema: z.object({ email: z.email() }),
  sample: { email: 'ada@example.com' },
  personalDataPaths: ['email'],
})

const config: CallboardConfig = defineConfig({
  callboard: createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [guestInvited] }),
    store: engineOf(callboard).store,
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  }),
  pool,
})
export default config
