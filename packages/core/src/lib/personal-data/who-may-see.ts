import type { KeyRecord } from '../ports/key-store.ts'
import type { LaneStanding } from '../ports/leased-lane.ts'

/** Whether a key may read personal data. */
export function keySeesPersonalData(scopes: KeyRecord['scopes']): boolean {
  return scopes.includes('people.read')
}

/**
 * Whether a delivery contains personal data. It does if its subscription may receive the data (`standingOf`) and no
 * earlier attempt was sent without the data, because a body never gains data between attempts.
 */
export function carriesPersonalData(
  standing: Pick<LaneStanding, 'personalData'>,
  delivery: { readonly redacted: boolean },
): boolean {
  return standing.personalData && !delivery.redacted
}
