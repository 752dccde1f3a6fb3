/**
 * Properties of any event in a catalogue with three versions. Keys and texts in the events need every kind of escape.
 *
 * 1. Redacting before converting equals converting before redacting.
 * 2. The result has the version that was asked for, and everything outside `version` and `data` stays as it was.
 * 3. The same event always gives the same bytes.
 * 4. A reader of the version in which the event is stored gets the stored bytes.
 * 5. An erased event shows no personal data in any version, to any reader.
 * 6. Converting directly gives the same result as converting through the version in between.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineCatalog } from '../events/catalog.ts'
import { envelopeParts } from '../events/envelope.ts'
import { defineEventType } from '../events/event-type.ts'
import { erasedFingerprint } from '../personal-data/erased-fingerprint.ts'
import { createRedactor, splice } from '../personal-data/redact.ts'
import { shapeFingerprint } from '../personal-data/shape-fingerprint.ts'
import { createFormats } from './formats.ts'
import { definePreviousType } from './previous-type.ts'

const VERSIONS = ['2026-10-01', '2026-04-01', '2026-01-01'] as const
const [CURRENT, APRIL, JANUARY] = VERSIONS

const bag = z.record(z.string(), z.string())
const person = z.object({ id: z.string(), name: z.string().optional(), email: z.string().optional() })
const sample = {
  bag: { k: 'v' },
  buyer: { id: 'per_1', name: 'Ada', email: 'a@b.c' },
  guests: [{ id: 'per_2', name: 'Bo', email: 'b@b.c' }],
}

const current = defineEventType({
  name: 'order.paid',
  family: 'f',
  descriptionKey: 'k',
  schema: z.object({ bag, buyer: person, guests: z.array(person) }),
  sample,
  personalDataPaths: ['buyer.name', 'buyer.email', 'guests.name', 'guests.email'],
})
const april = definePreviousType(current, {
  schema: z.object({ bag, customer: person, guest_names: z.array(z.object({ name: z.string().optional() })) }),
  sample: { bag: { k: 'v' }, customer: sample.buyer, guest_names: [{ name: 'Bo' }] },
  personalDataPaths: ['customer.name', 'customer.email', 'guest_names.name'],
  down: ({ bag, buyer, guests }) => ({ bag, customer: buyer, guest_names: guests.map(({ name }) => ({ name })) }),
})
const january = definePreviousType(april, {
  schema: z.object({ bag, who: z.object({ contact: z.string().optional() }), guests: z.int() }),
  sample: { bag: { k: 'v' }, who: { contact: 'Ada a@b.c' }, guests: 1 },
  personalDataPaths: ['who.contact'],
  down: ({ bag, customer: { name, email }, guest_names }) => {
    const contact = [name, email].filter((part) => part !== undefined).join(' ')
    return { bag, who: contact === '' ? {} : { contact }, guests: guest_names.length }
  },
})
const catalog = defineCatalog({
  version: CURRENT,
  types: [current],
  previous: [
    { version: APRIL, types: [april] },
    { version: JANUARY, types: [january] },
  ],
})
const formats = createFormats(catalog, () => 0)

const text = fc.oneof(
  fc.constantFrom('a', '"', '\\', '\n', '":', ',"data":', '"version":"', '__proto__', '\ud800', 'Ada'),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const personOf = fc.record({ id: text, name: text, email: text }, { requiredKeys: ['id'] })
const data = fc.record({
  bag: fc
    .uniqueArray(fc.tuple(text, text), { selector: ([key]) => key, maxLength: 4 })
    .map((all) => Object.fromEntries(all)),
  buyer: personOf,
  guests: fc.array(personOf, { maxLength: 3 }),
})

/** An event as it is stored, for an account with this name. */
function stored(content: object, name: string) {
  const { redacted, patch } = createRedactor(current.personalDataPaths)(content)
  const { head, middle, tail } = envelopeParts({
    id: 'evt_1',
    type: 'order.paid',
    version: CURRENT,
    occurredAt: new Date(0),
    accountId: 'acc',
    subject: { type: 'order', id: name },
    correlationId: name,
    mode: 'live',
    data: redacted,
  })
  const body = `${head}${JSON.stringify(name)}${middle}1${tail}`
  return {
    id: 'evt_1',
    type: 'order.paid',
    body,
    patch,
    fingerprint: shapeFingerprint(CURRENT, current.personalDataPaths),
  }
}

function parsed(envelope: string): { version: string; data: object } {
  const { data: content, version } = JSON.parse(envelope)
  return { version, data: content }
}

/** Sorts the keys of a value, so that two values can be compared whatever the order of their keys. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([key, inner]) => [key, sorted(inner)])
          .sort()
      : value

describe('a rendered event', () => {
  it('is the same whether it is redacted before or after the conversion, in every version (properties 1, 2, 3)', () => {
    fc.assert(
      fc.property(data, text, fc.constantFrom(APRIL, JANUARY), (content, name, version) => {
        const event = stored(content, name)
        const [full, redacted] = [formats.render(event, true, version), formats.render(event, false, version)]
        const paths = catalog.versions[version].get('order.paid')?.personalDataPaths ?? []
        const convertedFirst = createRedactor(paths)(parsed(full).data).redacted
        expect(sorted(parsed(redacted).data)).toEqual(sorted(JSON.parse(convertedFirst)))
        expect([parsed(full).version, parsed(redacted).version]).toEqual([version, version])
        const { data: _, version: __, ...rest } = JSON.parse(redacted)
        const { data: ___, version: ____, ...before } = JSON.parse(event.body)
        expect(rest).toEqual(before)
        expect(formats.render(event, true, version)).toBe(full)
      }),
      { numRuns: 500 },
    )
  })

  it('is the stored text if the reader has the version in which the event was stored (property 4)', () => {
    fc.assert(
      fc.property(data, text, (content, name) => {
        const event = stored(content, name)
        expect(formats.render(event, false, CURRENT)).toBe(event.body)
        const full = event.patch === null ? event.body : splice(event.body, event.patch)
        expect(formats.render(event, true, CURRENT)).toBe(full)
      }),
      { numRuns: 200 },
    )
  })

  it('shows no personal data once it is erased (property 5)', () => {
    fc.assert(
      fc.property(data, text, fc.constantFrom(...VERSIONS), (content, name, version) => {
        const { fingerprint, ...event } = stored(content, name)
        const erased = { ...event, patch: null, fingerprint: erasedFingerprint(fingerprint) }
        const shown = formats.render(erased, true, version)
        expect(shown).toBe(formats.render(erased, false, version))
        expect(shown).toBe(formats.render({ ...event, fingerprint }, false, version))
      }),
      { numRuns: 200 },
    )
  })

  it('is the same whether it was converted directly or through the version in between (property 6)', () => {
    fc.assert(
      fc.property(data, text, fc.boolean(), (content, name, personalData) => {
        const event = stored(content, name)
        const body = formats.render(event, personalData, APRIL)
        const fingerprint = shapeFingerprint(APRIL, april.personalDataPaths)
        const inApril = { ...event, body, patch: null, fingerprint }
        expect(formats.render(inApril, personalData, JANUARY)).toBe(formats.render(event, personalData, JANUARY))
      }),
      { numRuns: 200 },
    )
  })
})

it('data that is personal only in an older version is hidden there without people.read, and after an erasure', () => {
  const [paid] = [{ ...current, personalDataPaths: [] }]
  const strict = definePreviousType(paid, {
    schema: z.object({ name: z.string().optional() }),
    sample: { name: 'Ada' },
    personalDataPaths: ['name'],
    down: ({ buyer: { name } }) => (name === undefined ? {} : { name }),
  })
  const previous = [{ version: APRIL, types: [strict] }]
  const { render } = createFormats(defineCatalog({ version: CURRENT, types: [paid], previous }), () => 0)
  const fingerprint = shapeFingerprint(CURRENT, [])
  const body = `{"id":"evt_1","type":"order.paid","version":"${CURRENT}","data":${JSON.stringify(sample)}}`
  const event = { id: 'evt_1', type: 'order.paid', body, patch: null, fingerprint }
  expect(parsed(render(event, true, APRIL)).data).toEqual({ name: 'Ada' })
  expect(parsed(render(event, false, APRIL)).data).toEqual({})
  const erased = { ...event, fingerprint: erasedFingerprint(fingerprint) }
  expect(parsed(render(erased, true, APRIL)).data).toEqual({})
})

describe('a version that cannot be served', () => {
  const event = stored(sample, 'Acme')
  const inVersion = (version: string) => ({ ...event, body: event.body.replace(CURRENT, version), fingerprint: 'x' })
  const versionFor = (of: typeof event, pinned: string) => parsed(formats.render(of, false, pinned)).version

  it('is replaced by the next newer version, or by the current version if no version is newer', () => {
    expect(['2026-03-31', '2026-04-02', '2025-01-01', '2027-01-01'].map((pinned) => versionFor(event, pinned))).toEqual(
      [APRIL, CURRENT, JANUARY, CURRENT],
    )
  })

  it('is kept in an event that was stored with it, for a reader of the same version or a newer one', () => {
    expect(versionFor(inVersion('2025-01-01'), CURRENT)).toBe('2025-01-01')
    expect(versionFor(inVersion('2027-01-01'), '2027-01-01')).toBe('2027-01-01')
  })

  it.each([
    ['2027-01-01', CURRENT],
    ['2027-01-01', APRIL],
    ['2026-07-01', APRIL],
  ])('makes the conversion of an event from %s to %s fail', (from, to) => {
    expect(() => formats.render(inVersion(from), false, to)).toThrow(
      expect.objectContaining({ code: 'CONVERSION_FAILED' }),
    )
  })

  it('has its events redacted at the paths of the next newer version, so that no personal data is shown', () => {
    const full = splice(event.body, event.patch ?? '')
    const lost = { ...event, body: full.replace(CURRENT, '2026-07-01'), patch: null, fingerprint: 'x' }
    expect(formats.stored(lost, false)).toBe(event.body.replace(CURRENT, '2026-07-01'))
  })
})

describe('an event type that some versions lack', () => {
  const other = (name: string) =>
    defineEventType({
      name,
      family: 'f',
      descriptionKey: 'k',
      schema: z.object({ id: z.string() }),
      sample: { id: 'a' },
    })
  const [begun, ended] = [other('order.begun'), other('order.ended')]
  const { versions, version } = defineCatalog({
    version: CURRENT,
    types: [begun],
    previous: [{ version: APRIL }, { version: JANUARY, types: [ended], without: ['order.begun'] }],
  })
  const { render } = createFormats({ ...versions[CURRENT], versions }, () => 0)
  const eventOf = (name: string, from: string) => ({
    id: 'evt_1',
    type: name,
    body: `{"id":"evt_1","type":"${name}","version":"${from}","account":{},"data":{"id":"a"}}`,
    patch: null,
    fingerprint: shapeFingerprint(from, []),
  })

  it('has its events rendered in the oldest version that has the type, for a reader of a version older than that', () => {
    expect(parsed(render(eventOf('order.begun', version), true, JANUARY)).version).toBe(APRIL)
  })

  it('keeps its events as they were stored, for a reader whose newer version lacks the type', () => {
    expect(parsed(render(eventOf('order.ended', JANUARY), true, CURRENT)).version).toBe(JANUARY)
  })
})

describe('a version whose sunset is enforced', () => {
  const ending = defineCatalog({
    version: CURRENT,
    types: [current],
    previous: [{ version: APRIL, types: [april], deprecated: '2026-10-01', sunset: '2027-01-01', enforceSunset: true }],
  })
  const at = (time: string) => createFormats(ending, () => Date.parse(time))

  it('is served until the day of its sunset', () => {
    expect(at('2026-12-31T23:59:59.999Z').served(APRIL).version).toBe(APRIL)
    expect(at('2027-01-01T00:00:00Z').served(APRIL).version).toBe(CURRENT)
    expect(
      at('2027-01-01')
        .servedVersions()
        .map((served) => served.version),
    ).toEqual([CURRENT])
  })

  it('is deprecated from the day of its deprecation', () => {
    expect(at('2026-09-30T23:59:59.999Z').isDeprecated(APRIL)).toBe(false)
    expect(at('2026-10-01').isDeprecated(APRIL)).toBe(true)
    expect(at('2028-01-01').isDeprecated(CURRENT)).toBe(false)
  })

  it('is not confused with the name of a property that every object has, such as toString', () => {
    expect(['toString', '__proto__', ''].map((name) => at('2026-12-01').isServed(name))).toEqual([false, false, false])
  })
})
