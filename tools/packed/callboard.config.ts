// A config module gives the command line the platform's own Callboard object and pool.
import { createCallboard } from '@callboard/core'
import { createPostgresStore } from '@callboard/store-postgres'
import { defineConfig } from 'callboard'
import { Pool } from 'pg'
import { catalog, secretKeys } from './catalog.ts'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const callboard = createCallboard({ catalog, store: createPostgresStore({ pool }), secretKeys })

export default defineConfig({ callboard, pool })
