import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { type OwnPostgres, type ReplicablePostgres, startOwnPostgres } from './own-postgres.ts'

/** A primary and its synchronous standby, behind one address. */
export interface PostgresCluster extends OwnPostgres {
  readonly primary: ReplicablePostgres
  readonly standby: ReplicablePostgres
  /** The proxy in front of the primary. A test can point it at another server. */
  readonly address: FaultProxy
  /** Promotes the standby and points the address at it. This ends the connections to the primary. */
  failOver(): Promise<void>
}

const LOOKS = 200

/** Starts a cluster. Its `crash` kills the primary, and its `start` fails over to the standby. */
export async function startPostgresCluster(): Promise<PostgresCluster> {
  const primary = await startOwnPostgres()
  const standby = await primary.startStandby()
  const client = new Client({ connectionString: primary.url })
  await client.connect()
  await client.query(`alter system set synchronous_standby_names = '*'`)
  await client.query('select pg_reload_conf()')
  for (let looks = 1; ; looks++) {
    const { rows } = await client.query(`select from pg_stat_replication where sync_state = 'sync'`)
    if (rows.length > 0) break
    if (looks === LOOKS) throw new Error('The standby does not become synchronous.')
    await delay(50)
  }
  await client.end()
  const address = await startFaultProxy(primary.url)
  const failOver = async (): Promise<void> => {
    await standby.promote()
    address.lead(standby.url)
    address.reset()
  }
  return {
    primary,
    standby,
    address,
    failOver,
    url: address.through(primary.url),
    crash: () => primary.crash(),
    start: failOver,
    async stop() {
      await address.stop()
      await standby.stop()
      await primary.stop()
    },
  }
}
