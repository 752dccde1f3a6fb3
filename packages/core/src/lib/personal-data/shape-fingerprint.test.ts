import { describe, expect, it } from 'vitest'
import { shapeFingerprint } from './shape-fingerprint.ts'

const V = '2026-10-01'

describe('shapeFingerprint', () => {
  it('is equal for two lists of paths only if they remove the same data', () => {
    const fingerprint = (...paths: string[]) => shapeFingerprint(V, paths)
    expect(fingerprint('buyer.name', 'buyer.email')).toBe(fingerprint('buyer.email', 'buyer.name', 'buyer.name'))
    expect(fingerprint('buyer')).toBe(fingerprint('buyer', 'buyer.name'))
    expect(fingerprint('buyer.name')).not.toBe(fingerprint('buyer.email'))
    expect(fingerprint()).not.toBe(fingerprint('buyer'))
  })

  it('differs between two versions with the same paths', () => {
    expect(shapeFingerprint(V, ['buyer'])).not.toBe(shapeFingerprint('2027-03-01', ['buyer']))
  })

  it('still returns the fingerprints that earlier releases stored with events', () => {
    expect(shapeFingerprint(V, ['order.buyer.name', 'order.buyer.email'])).toMatchInlineSnapshot(`"74f3615acec51a3a"`)
    expect(shapeFingerprint(V, [])).toMatchInlineSnapshot(`"df76349da73f3311"`)
  })
})
