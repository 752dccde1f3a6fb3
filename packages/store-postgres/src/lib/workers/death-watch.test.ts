import { describe, expect, it } from 'vitest'
import { createDeathWatch } from './death-watch.ts'

const LOCKED = { id: 'w', session: '7', beat: 1, restarted: false }
const SILENT = { ...LOCKED, session: null }
const RESTARTED = { ...LOCKED, restarted: true }

/** A watch whose clock the test moves. */
function watch() {
  let time = 1_000_000
  const { dead, failed } = createDeathWatch(() => time)
  return {
    failed,
    dead,
    after(ms: number) {
      time += ms
      return { dead }
    },
  }
}

describe('a death watch', () => {
  it('declares a silent worker without a lock dead at the first look', () => {
    expect(watch().dead([SILENT])).toEqual([SILENT])
  })

  it('declares a worker dead if its lock is still free half a second after the first look', () => {
    const { dead, after } = watch()
    expect(dead([LOCKED])).toEqual([])
    expect(after(499).dead([LOCKED])).toEqual([])
    expect(after(1).dead([LOCKED])).toEqual([LOCKED])
  })

  it.for([
    ['holds another lock', { session: '8' }],
    ['has attended', { beat: 2 }],
  ] as const)('waits another half second for a worker that %s', ([, change]) => {
    const { dead, after } = watch()
    dead([LOCKED])
    expect(after(500).dead([{ ...LOCKED, ...change }])).toEqual([])
  })

  it('waits another half second for a worker that was not missing at a look in between', () => {
    const { dead, after } = watch()
    dead([LOCKED])
    after(250).dead([])
    expect(after(250).dead([LOCKED])).toEqual([])
  })

  it('gives each worker five seconds to attend after a restart of the server, however old its row is', () => {
    const { dead, after } = watch()
    expect(dead([RESTARTED, { ...RESTARTED, id: 'v', session: null }])).toEqual([])
    expect(after(4_999).dead([RESTARTED])).toEqual([])
    expect(after(1).dead([RESTARTED])).toEqual([RESTARTED])
  })

  it('gives each worker five seconds to attend after a failed call, because the calls of other workers may have failed too', () => {
    const { dead, after, failed } = watch()
    dead([LOCKED])
    failed()
    expect(after(500).dead([LOCKED, SILENT])).toEqual([])
    expect(after(4_400).dead([LOCKED, SILENT])).toEqual([])
    expect(after(100).dead([LOCKED, SILENT])).toEqual([LOCKED, SILENT])
  })
})
