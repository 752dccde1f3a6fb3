import { type CallboardConfig, defineConfig } from 'callboard'
import { openPlatform } from './callboard.ts'

const config: CallboardConfig = defineConfig({
  ...openPlatform(process.env['DATABASE_URL']),
  dashboardUrl: 'https://app.example/webhooks/',
})
export default config
