import type { MaintenanceStore } from '@callboard/core'
import { erase, eventsBefore, eventsOfPerson } from './erasing.ts'
import type { MemoryState } from './memory-state.ts'

export function createMaintenanceStore(state: MemoryState): MaintenanceStore {
  return {
    async eventsOfPerson(person, limit) {
      return eventsOfPerson(state, person, limit)
    },

    async eventsBefore(walk) {
      return eventsBefore(state, walk)
    },

    async erase(events) {
      return erase(state, events)
    },
  }
}
