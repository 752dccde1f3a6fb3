import fc from 'fast-check'
import type { Authorization } from './fuzz-request.ts'
import { KEY_NAMES, type KeyName } from './fuzzed-platform.ts'

const malformed = fc.oneof(
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'Basic YTpi',
    'Bearer a b',
    'Bearer x, Bearer y',
    `Bearer cb_live_${'0'.repeat(71)}`,
    `Bearer ${'x'.repeat(8000)}`,
    'Bearer null',
    'bearer\tx',
    'Digest username="a"',
  ),
  fc
    .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 120 })
    .map((text) => `Bearer ${text}`),
)

export const authorization: fc.Arbitrary<Authorization> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      key: fc.constantFrom<KeyName[]>(...KEY_NAMES, 'all', 'all', 'all', 'all', 'reader', 'writer', 'rival', 'test'),
      scheme: fc.constantFrom('Bearer', 'Bearer', 'bearer', 'BEARER'),
    }),
  },
  { weight: 1, arbitrary: fc.array(malformed, { maxLength: 2 }).map((values) => ({ values })) },
  { weight: 1, arbitrary: fc.record({ key: fc.constantFrom<KeyName[]>('all', 'reader'), twice: fc.constant(true) }) },
)
