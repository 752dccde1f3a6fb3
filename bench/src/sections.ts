/** All sections, in the order in which they run and appear in RESULTS.md. Each is a folder with a `section.ts`. */
export const SECTIONS: readonly string[] = [
  'drain',
  'transport',
  'latency',
  'fairness',
  'publish',
  'events',
  'replica',
  'me',
  'pages',
  'dashboard',
  'backlog',
  'vacuum',
  'sequencer',
  'statements',
  'limiter',
  'verify',
  'redaction',
  'versions',
  'start-up',
  'scale-out',
]

/** Sections whose ratios are cheap to measure and steady enough for CI. */
export const GUARDED: readonly string[] = ['me', 'limiter', 'verify', 'redaction', 'start-up']
