import { type ProblemIssue, Refusal } from './problem.ts'

/** The parameters of a query string, and what is wrong with them. */
export interface Query<Name extends string> {
  readonly values: Readonly<Partial<Record<Name, string>>>
  readonly issues: readonly ProblemIssue[]
}

/**
 * Reads these parameters from a query string. Reports those that are repeated or empty, and ignores all others. Core
 * checks the values.
 */
export function readQuery<Name extends string>(search: string, names: readonly Name[]): Query<Name> {
  const parameters = new URLSearchParams(search)
  const values: Partial<Record<Name, string>> = {}
  const issues: ProblemIssue[] = []
  for (const name of names) {
    const [value, second] = parameters.getAll(name)
    if (second !== undefined) issues.push({ path: name, message: `${name} must be given only once.` })
    else if (value === '')
      issues.push({ path: name, message: `${name} must not be empty. Give a value or leave it out.` })
    if (value !== undefined) values[name] = value
  }
  return { values, issues }
}

/** @throws Refusal a 400 if anything is wrong with the parameters. */
export function assertQuery({ issues }: Pick<Query<string>, 'issues'>): void {
  const [first] = issues
  if (first !== undefined) throw new Refusal({ code: 'VALIDATION_FAILED', message: first.message, issues })
}

/**
 * Reads these parameters and those of every page: its `limit` and its `cursor`.
 *
 * @throws Refusal as {@link assertQuery} does.
 */
export function readPageQuery<Name extends string>(
  search: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name | 'cursor', string>>> & { readonly limit: number | undefined } {
  const query = readQuery<Name | 'limit' | 'cursor'>(search, [...names, 'limit', 'cursor'])
  assertQuery(query)
  return { ...query.values, limit: wholeNumber(query.values['limit']) }
}

/** Reads a whole number. Anything but decimal digits becomes NaN, which core refuses. */
export function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
}
