// Publishes and sequences until it is killed. Tells its parent once it has started.
import { setTimeout as delay } from 'node:timers/promises'
import { createCallboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { orderPaidEvent } from './arrange.ts'
import { catalog } from './sample-catalog.ts'

const PUBLISHERS = 3
const SUBJECTS = 8

const [connectionString, k1 = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString, max: PUBLISHERS + 1 })
const callboard = createCallboard({
  catalog,
  store: createPostgresStore({ pool, notify: false }),
  secretKeys: { current: 'k1', keys: { k1 } },
})

const eventOf = (subject: number) =>
  subject % 3 === 0
    ? ({
        accountId: 'acc',
        type: 'attendee.checked_in',
        subject: { type: 'attendee', id: `att_${subject}` },
        data: { attendee: { id: `att_${subject}` } },
      } as const)
    : orderPaidEvent({ subject: { type: 'order', id: `ord_${subject}` } })

/** Keeps some transactions open for a while, so that later events overtake theirs. */
async function publish(): Promise<never> {
  for (;;) {
    const client = await pool.connect()
    await client.query('begin')
    // One call, which locks the counters of its subjects in a fixed order.
    const events = Array.from({ length: Math.ceil(Math.random() * 3) }, () =>
      eventOf(Math.floor(Math.random() * SUBJECTS)),
    )
    await callboard.publishMany(events, { tx: client })
    if (Math.random() < 0.3) await delay(Math.random() * 20)
    await client.query('commit')
    client.release()
  }
}

async function sequence(): Promise<never> {
  const { deliveries } = engineOf(callboard).store
  for (;;) {
    const { sequenced } = await deliveries.sequence(50)
    process.send?.({ sequenced })
    await delay(2)
  }
}

process.once('disconnect', () => process.exit())
await Promise.all([sequence(), ...Array.from({ length: PUBLISHERS }, publish)])
