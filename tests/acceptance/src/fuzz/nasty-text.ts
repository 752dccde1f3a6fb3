import fc from 'fast-check'

/** Texts that commonly break software. */
export const nasty: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\0',
      'a\0b',
      '\ud800',
      'a\udfffb',
      '\u2028',
      '\ufeff',
      '\u202e',
      '__proto__',
      'constructor',
      'toString',
      "'; drop table x; --",
      '../../etc/passwd',
      'null',
      'NaN',
      '-1',
      '1e9',
      '9'.repeat(400),
      '😀'.repeat(300),
      'e\u0301'.repeat(128),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(1_000_000), '\u00e9'.repeat(30_000), '"'.repeat(30_000)) },
)
