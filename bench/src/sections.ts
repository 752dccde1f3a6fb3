/** In the order in which they run and stand in RESULTS.md; each is a folder with a `section.ts`. */
export const SECTIONS: readonly string[] = [
  'drain',
  'transport',
  'publish',
  'events',
  'me',
  'statements',
  'limiter',
  'verify',
  'start-up',
  'redaction',
]
