import { type CallboardConfig, defineConfig } from 'callboard'
import { openPlatform } from './callboard.ts'

const config: CallboardConfig = defineConfig(openPlatform(process.env['DATABASE_URL']))
export default config
