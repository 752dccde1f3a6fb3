/** The figures of each contender, one per round. */
export type Rounds<Name extends string> = Readonly<Record<Name, readonly number[]>>

/**
 * Runs the contenders in turn and reverses their order every round, so that a gradual change in the machine's speed
 * affects all of them equally. A first round, the warm-up, is not counted.
 */
export async function alternate<Name extends string>(
  contenders: Readonly<Record<Name, () => number | Promise<number>>>,
  rounds = 3,
): Promise<Rounds<Name>> {
  const names = Object.keys(contenders) as Name[]
  const reached = Object.fromEntries(names.map((name): [string, number[]] => [name, []])) as Record<Name, number[]>
  for (const name of names) await contenders[name]()
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) reached[name].push(await contenders[name]())
  return reached
}

/** The ratio of two contenders in each round. Whatever slows down the whole round cancels out. */
export function ratios(reached: readonly number[], other: readonly number[]): number[] {
  return reached.map((value, round) => value / (other[round] ?? Number.NaN))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] =
    sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : [sorted[middle - 1], sorted[middle]]
  return (low + high) / 2
}

/** The value below which the share `part` of all values lies: 0.99 gives the p99. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}
