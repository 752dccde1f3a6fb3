import type { LaneStanding } from '../ports/delivery-store.ts'
import type { KeyRecord } from '../ports/key-store.ts'

/** Whether a key may read personal data (contract, section 5). */
export function keySeesPersonalData(scopes: KeyRecord['scopes']): boolean {
  return scopes.includes('people.read')
}

/** Whether one delivery carries personal data; `standingOf` says what its subscription may be sent. One attempted without it stays without it: between attempts a body only ever loses. */
export function carriesPersonalData(
  standing: Pick<LaneStanding, 'personalData'>,
  delivery: { readonly redacted: boolean },
): boolean {
  return standing.personalData && !delivery.redacted
}
