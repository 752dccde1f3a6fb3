import { type CallboardConfig, defineConfig } from 'callboard'
import { openPlatform } from './callboard.ts'

const config: CallboardConfig = defineConfig({
  ...openPlatform(process.env['DATABASE_URL']),
  worker: { extraCaCertificates: ['/etc/ssl/certs/our-authority.pem'] },
})
export default config
