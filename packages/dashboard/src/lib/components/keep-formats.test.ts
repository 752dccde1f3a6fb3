import { expect, it } from 'vitest'
import { keepFormats } from './keep-formats.ts'

it('creates only one formatter for each language and zone, and keeps at most 100', () => {
  let created = 0
  const formats = keepFormats((language, zone) => {
    created++
    return `${language}/${zone}`
  })
  expect([formats('de', 'UTC'), formats('de', 'UTC'), formats('en', 'UTC'), created]).toEqual([
    'de/UTC',
    'de/UTC',
    'en/UTC',
    2,
  ])
  for (let index = 0; index < 100; index++) formats('de', `zone ${index}`)
  expect(formats('de', 'UTC')).toBe('de/UTC')
  expect(created, 'the first formatters were dropped').toBe(103)
})
