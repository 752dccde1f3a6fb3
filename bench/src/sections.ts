/** All sections, in the order in which they run and appear in RESULTS.md. Each is a folder with a `section.ts`. */
export const SECTIONS: readonly string[] = [
  'drain',
  'latency',
  'at-rest',
  'fairness',
  'publish',
  'events',
  'me',
  'limiter',
  'verify',
  'redaction',
  'start-up',
]

/** Sections whose ratios are cheap to measure and steady enough for CI. */
export const GUARDED: readonly string[] = ['drain', 'at-rest', 'me', 'limiter', 'verify', 'redaction', 'start-up']
