import { type Account, type Callboard, CallboardError, type Issue, isCallboardError } from '@callboard/core'
import { accountNameIssue } from '@callboard/core/engine'
import type { Parsed } from './parse-line.ts'

export type LineOutcome = 'imported' | 'existing' | 'duplicate' | 'unchecked' | 'refused'

/** What became of a line. */
export interface LineResult {
  readonly line: number
  readonly kind: Parsed['kind'] | undefined
  readonly outcome: LineOutcome
  /** Why the line was refused; otherwise empty. */
  readonly issues: readonly Issue[]
}

/** Imports up to 500 lines: accounts first, then keys, then subscriptions. */
export type ImportLines = (lines: readonly Parsed[]) => Promise<LineResult[]>

/**
 * In a dry run, nothing is stored. So it leaves unchecked what depends on earlier lines: keys, and whether subscriptions
 * are duplicates or too many if their account, or others of it, would have been stored by an earlier call.
 */
export function createImportLines(callboard: Callboard, dryRun: boolean): ImportLines {
  /** The accounts that a dry run would have created. */
  const created = new Set<string>()
  /** The accounts to which a dry run would have added subscriptions. */
  const extended = new Set<string>()
  /** Returns the ids of those that are new. */
  const ensure = async (accounts: readonly Account[]): Promise<Set<string>> => {
    if (!dryRun) return new Set((await callboard.accounts.ensure(accounts)).created)
    const fresh = new Set<string>()
    for (const { id, name } of accounts) {
      const issue = accountNameIssue('name', name)
      if (issue !== undefined) throw new CallboardError('VALIDATION_FAILED', issue.message, { issues: [issue] })
      if (!created.has(id) && (await callboard.accounts.find({ id })) === undefined) fresh.add(id)
    }
    for (const id of fresh) created.add(id)
    return fresh
  }

  const importAccounts = async (lines: readonly (Parsed & { kind: 'account' })[]): Promise<LineResult[]> => {
    if (lines.length === 0) return []
    try {
      const fresh = await ensure(lines.map(({ value }) => value))
      // A line that repeats an account finds it there.
      return lines.map((line) => result(line, fresh.delete(line.value.id) ? 'imported' : 'existing'))
    } catch (error) {
      const issues = issuesOf(error)
      if (lines.length > 1) return (await Promise.all(lines.map((each) => importAccounts([each])))).flat()
      return lines.map((line) => result(line, 'refused', issues))
    }
  }

  const importKey = async (line: Parsed & { kind: 'key' }): Promise<LineResult> => {
    if (dryRun) return result(line, 'unchecked')
    try {
      const { created: isNew } = await callboard.keys.import(line.value)
      return result(line, isNew ? 'imported' : 'existing')
    } catch (error) {
      return result(line, 'refused', issuesOf(error))
    }
  }

  const importSubscriptions = async (lines: readonly (Parsed & { kind: 'subscription' })[]): Promise<LineResult[]> => {
    if (lines.length === 0) return []
    const items = lines.map(({ value }) => value)
    const results = await callboard.subscriptions.import(items, { by: 'platform', dryRun })
    const judged = lines.map((line, index) => {
      const found = results[index]
      const { accountId } = line.value
      if (found?.outcome === 'imported' && extended.has(accountId)) return result(line, 'unchecked')
      if (found?.outcome !== 'refused') return result(line, found?.outcome ?? 'refused')
      const issues = created.has(accountId) ? found.issues.filter(isNotUnknownAccount) : found.issues
      return issues.length === 0 ? result(line, 'unchecked') : result(line, 'refused', issues)
    })
    if (dryRun) for (const { accountId } of items) extended.add(accountId)
    return judged
  }

  return async (lines) => {
    const accounts = await importAccounts(lines.filter((line) => line.kind === 'account'))
    const keys: LineResult[] = []
    for (const line of lines) if (line.kind === 'key') keys.push(await importKey(line))
    const subscriptions = await importSubscriptions(lines.filter((line) => line.kind === 'subscription'))
    return [...accounts, ...keys, ...subscriptions]
  }
}

function result({ line, kind }: Parsed, outcome: LineOutcome, issues: readonly Issue[] = []): LineResult {
  return { line, kind, outcome, issues }
}

function isNotUnknownAccount({ path, code }: Issue): boolean {
  return !(path === 'accountId' && code === 'UNKNOWN')
}

/** The issues of an error that is about one line. Throws any other error, such as a database that is down. */
function issuesOf(error: unknown): readonly Issue[] {
  if (!isCallboardError(error) || ['UNAVAILABLE', 'CONFIGURATION_INVALID'].includes(error.code)) throw error
  return error.issues.length > 0 ? error.issues : [{ path: '', code: 'CONFLICT', message: error.message }]
}
