import { CallboardError } from '@callboard/core'

/** The look of the dashboard, to match the platform's product. */
export interface DashboardTheme {
  /** `auto` by default, which follows the viewer's system. */
  readonly colorScheme?: 'auto' | 'light' | 'dark' | undefined
  /** CSS custom properties such as `--cb-accent`. The README lists them all. */
  readonly variables?: Readonly<Record<`--cb-${string}`, string>> | undefined
  /** The values that are different in the dark scheme. */
  readonly darkVariables?: Readonly<Record<`--cb-${string}`, string>> | undefined
}

/**
 * Renders the theme as a style sheet. Throws `CONFIGURATION_INVALID` for a value that could end its CSS declaration
 * early or load a file.
 */
export function themeStyle({ colorScheme = 'auto', variables = {}, darkVariables = {} }: DashboardTheme): string {
  const scheme = colorScheme === 'auto' ? 'light dark' : colorScheme
  const light = `:root{color-scheme:${scheme};${declarations(variables)}}`
  const dark = declarations({ ...darkVariables })
  if (dark === '' || colorScheme === 'light') return light
  return colorScheme === 'dark' ? `${light}:root{${dark}}` : `${light}@media(prefers-color-scheme:dark){:root{${dark}}}`
}

function declarations(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => {
      if (!/^--cb-[a-z0-9-]+$/.test(name) || /[;{}<>\\]|url\(|\/\*/i.test(value))
        throw new CallboardError(
          'CONFIGURATION_INVALID',
          `theme: ${name} must be a --cb- property with a plain CSS value.`,
        )
      return `${name}:${value};`
    })
    .join('')
}
