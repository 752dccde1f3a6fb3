import type { Accounts } from './accounts.ts'

/**
 * Gives each page the same name in every run. Ids become names, cursors and times become a dot, and pages with several
 * filters share one name.
 */
export function createPageName(accounts: Accounts | Readonly<Record<string, string>>): (path: string) => string {
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(accounts)) names.set(typeof value === 'string' ? value : value.id, name)
  return (path) => {
    const { pathname, searchParams } = new URL(path, 'http://any')
    const parts = pathname.split('/').filter((part) => part !== '' && part !== 'dashboard')
    const place = parts.map((part) => names.get(part) ?? part.replace(/^([a-z]+)_[0-9a-z]{26}$/i, '$1'))
    const query = [...searchParams].map(([name, value]) => `${name}=${/^[a-z._]{1,30}$/.test(value) ? value : '.'}`)
    const shown = query.length > 1 ? ['filtered'] : query
    return [...place, ...shown].join('-').replace(/[^a-z0-9._=-]/gi, '_') || 'start'
  }
}
