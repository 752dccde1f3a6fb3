import { expect, it } from 'vitest'
import { createPostponedLanes, type Obstacle } from './postponed-lanes.ts'

const VERSION: Obstacle = { cause: 'version', name: '2027-01-01' }
const KEY: Obstacle = { cause: 'key', name: 'k2' }
const lane = (id: string) => ({ accountId: 'acc', mode: 'live', id }) as const

it('holds a lane for 30 s, counts the lanes by what they wait for, and reports each obstacle once', () => {
  let time = 0
  const told: Obstacle[] = []
  const lanes = createPostponedLanes(
    () => time,
    (obstacle) => told.push(obstacle),
  )
  expect(lanes.freeInMs()).toBeUndefined()
  lanes.postpone(lane('a'), VERSION, false)
  time = 10_000
  for (const id of ['b', 'c']) lanes.postpone(lane(id), KEY, true)
  lanes.postpone(lane('a'), VERSION, false)
  expect(lanes.list()).toEqual([
    { ...KEY, lanes: 2 },
    { ...VERSION, lanes: 1 },
  ])
  expect(lanes.freeInMs()).toBe(30_000)
  time = 39_999
  expect([lanes.isPostponed(lane('a')), lanes.isPostponed({ ...lane('a'), mode: 'test' })]).toEqual([true, false])
  expect([
    lanes.isPostponed({ ...lane('a'), hasNew: true }),
    lanes.isPostponed({ ...lane('b'), hasNew: true }),
  ]).toEqual([true, false])
  time = 40_000
  expect([lanes.isPostponed(lane('a')), lanes.list()]).toEqual([false, []])
  expect(told).toEqual([VERSION, KEY])
  lanes.postpone(lane('a'), VERSION, false)
  expect(told).toEqual([VERSION, KEY, VERSION])
})
