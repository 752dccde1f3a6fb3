/** How many lines of a reason are shown; the rest are counted. */
const SHOWN = 3
/** The most reasons that are counted, so that memory stays bounded. */
const COUNTED = 1_000

/** Counts the lines that have the same reason. */
export interface RepeatedReasons {
  /** Returns whether the line is one of the first with its reason. */
  add(reason: string, line: number): boolean
  /** A line of text for each reason that more lines have than were the first, the commonest first. */
  summary(): string[]
}

export function createRepeatedReasons(): RepeatedReasons {
  const reasons = new Map<string, { count: number; readonly first: number[] }>()
  return {
    add(reason, line) {
      const known = reasons.get(reason)
      if (known === undefined) {
        if (reasons.size < COUNTED) reasons.set(reason, { count: 1, first: [line] })
        return true
      }
      known.count += 1
      return known.count <= SHOWN && known.first.push(line) > 0
    },
    summary() {
      return [...reasons]
        .filter(([, { count }]) => count > SHOWN)
        .sort(([, one], [, other]) => other.count - one.count)
        .map(([reason, { count, first }]) => `${count.toLocaleString('en')} lines (${first.join(', ')}, …): ${reason}`)
    },
  }
}
