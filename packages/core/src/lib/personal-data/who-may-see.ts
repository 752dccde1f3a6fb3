import type { LaneStanding } from '../ports/delivery-store.ts'
import type { KeyRecord } from '../ports/key-store.ts'

/** Whether a key may read personal data. */
export function keySeesPersonalData(scopes: KeyRecord['scopes']): boolean {
  return scopes.includes('people.read')
}

/**
 * Whether a delivery carries personal data: its subscription may be sent it (`standingOf`), and no earlier attempt was
 * made without it. Between attempts a body may lose personal data but never gain it.
 */
export function carriesPersonalData(
  standing: Pick<LaneStanding, 'personalData'>,
  delivery: { readonly redacted: boolean },
): boolean {
  return standing.personalData && !delivery.redacted
}
