/** Starts this many calls at once, and returns their results in order. */
export function race<Result>(times: number, call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(index)))
}

/** Counts how often each answer was given. */
export function tally(answers: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1
  return counts
}
