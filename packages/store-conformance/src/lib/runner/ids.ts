import { idFromUuid } from '@callboard/core/store'

/** Creates an id that is the same in every run of the same steps. */
export function idOf(prefix: Parameters<typeof idFromUuid>[0], number: number): string {
  return idFromUuid(prefix, number.toString(16).padStart(32, '0'))
}

/** Creates an id that sorts by time, as ids of attempts do. */
export function idFromTime(prefix: Parameters<typeof idFromUuid>[0], time: number, number: number): string {
  return idFromUuid(prefix, time.toString(16).padStart(12, '0') + number.toString(16).padStart(20, '0'))
}
