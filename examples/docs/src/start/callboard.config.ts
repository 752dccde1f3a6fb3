import { defineConfig } from 'callboard'
import { callboard, pool } from './callboard.ts'

export default defineConfig({ callboard, pool })
