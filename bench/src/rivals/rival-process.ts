import { openAttempts } from './attempt-log.ts'
import { createDeliver } from './deliver-job.ts'
import type { RivalPace, RivalServers } from './rival.ts'
import { RIVALS, type RivalName } from './rivals.ts'

export interface RivalOrder {
  readonly name: RivalName
  readonly servers: RivalServers
  readonly pace: RivalPace
  /** PEM of the receivers' certificate. */
  readonly ca: string
}

process.once('message', ({ name, servers, pace, ca }: RivalOrder) => {
  const deliver = createDeliver(ca, openAttempts(servers.postgres))
  process.once('message', () => RIVALS[name].work(servers, pace, deliver))
  process.send?.('ready')
})
process.once('disconnect', () => process.exit())
