import type { DisabledReason } from '@callboard/core'
import type { StoreSurvey, WorkSurvey } from '@callboard/core/store'
import { attendingWorkers, lostWorkers } from './attending-workers.ts'
import { type MemoryState, presentSubscriptions } from './memory-state.ts'
import { countPaused } from './stores/delivery-store.ts'

export function survey(state: MemoryState, latelyMs: number): StoreSurvey {
  const { now, withWork } = state
  const time = now()
  const waiting = (leased: boolean): WorkSurvey['due'] => {
    const times = [...withWork].flatMap(({ lane: { state, wakeAt = time + 1 } }) =>
      (state === 'leased') === leased && wakeAt <= time ? wakeAt : [],
    )
    return { lanes: times.length, longestMs: times.reduce((longest, wakeAt) => Math.max(longest, time - wakeAt), 0) }
  }
  const disabled = new Map<DisabledReason, number>()
  for (const { record, disabledAt = Number.NEGATIVE_INFINITY } of presentSubscriptions(state))
    if (record.disabledReason !== undefined && disabledAt >= time - latelyMs)
      disabled.set(record.disabledReason, (disabled.get(record.disabledReason) ?? 0) + 1)
  return {
    findings: [{ check: 'store', verdict: 'ok', message: 'in the memory of this process' }],
    work: {
      clock: new Date(time),
      lapsed: waiting(true),
      due: waiting(false),
      pausedLanes: countPaused(state),
      workers: attendingWorkers(state),
      lost: lostWorkers(state),
      disabled: [...disabled].map(([reason, subscriptions]) => ({ reason, subscriptions })),
    },
  }
}
