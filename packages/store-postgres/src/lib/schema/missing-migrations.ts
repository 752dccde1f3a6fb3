import { NUMBERED_MIGRATIONS } from './migrations/numbered-migrations.ts'
import { REVISIONS } from './revisions.ts'

const NUMBERED = NUMBERED_MIGRATIONS.map(({ name }) => name)

/** The name under which a function's current revision is recorded: `publish_event@1`. */
export function revisionName(functionName: string): string {
  return `${functionName}@${REVISIONS[functionName]?.length ?? 0}`
}

/**
 * Returns the names of the migrations that this version of Callboard needs and that have not been applied. Each
 * database function counts as a migration, and a later revision of it is accepted too.
 */
export function missingMigrations(applied: readonly string[]): string[] {
  const latest = latestRevisions(applied)
  const functions = Object.entries(REVISIONS).filter(([name, { length }]) => (latest.get(name) ?? 0) < length)
  return [...NUMBERED.filter((name) => !applied.includes(name)), ...functions.map(([name]) => revisionName(name))]
}

/** Returns the applied migrations that this version does not know, because a later version applied them. */
export function laterMigrations(applied: readonly string[]): string[] {
  return applied.filter((name) => {
    const [functionName, revision] = partsOf(name)
    if (revision === undefined) return !NUMBERED.includes(name)
    return revision > (REVISIONS[functionName]?.length ?? 0)
  })
}

function latestRevisions(applied: readonly string[]): Map<string, number> {
  const latest = new Map<string, number>()
  for (const name of applied) {
    const [functionName, revision = 0] = partsOf(name)
    latest.set(functionName, Math.max(latest.get(functionName) ?? 0, revision))
  }
  return latest
}

function partsOf(name: string): readonly [string, number | undefined] {
  const [, functionName, revision] = /^(\w+)@(\d+)$/.exec(name) ?? []
  return functionName === undefined ? [name, undefined] : [functionName, Number(revision)]
}
