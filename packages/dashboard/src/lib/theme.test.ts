import { isCallboardError } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { style } from './assets/bundle.generated.ts'
import { themeStyle } from './theme.ts'

describe('the theme', () => {
  it('can set every variable that the styles use', () => {
    for (const name of [
      'accent',
      'on-accent',
      'background',
      'surface',
      'text',
      'muted',
      'border',
      'success',
      'warning',
      'danger',
    ])
      expect(style.text, name).toMatch(new RegExp(`--cb-${name}: ?light-dark\\(.*var\\(--cb-${name}\\)`, 's'))
    for (const name of ['radius', 'font', 'mono']) expect(style.text, name).toMatch(new RegExp(`--cb-${name}: ?[^;]+;`))
  })

  it('uses the platform’s values, and the platform’s dark values in the dark colour scheme', () => {
    const variables = { '--cb-accent': '#0f766e' } as const
    const darkVariables = { '--cb-accent': '#5eead4' } as const
    expect(themeStyle({ variables, darkVariables })).toBe(
      ':root{color-scheme:light dark;--cb-accent:#0f766e;}@media(prefers-color-scheme:dark){:root{--cb-accent:#5eead4;}}',
    )
    expect(themeStyle({ colorScheme: 'dark', variables, darkVariables })).toContain(':root{--cb-accent:#5eead4;}')
    expect(themeStyle({ colorScheme: 'light', variables, darkVariables })).not.toContain('#5eead4')
  })

  it.each(['red;}body{display:none', 'url(https://elsewhere.example)', 'x</style>', 'a/*', '\\75rl(x)'])(
    'refuses a value that could end its CSS declaration early or load a file: %s',
    (value) => {
      const create = () => themeStyle({ variables: { '--cb-accent': value } })
      expect(create).toThrow(expect.toSatisfy((error: unknown) => isCallboardError(error, 'CONFIGURATION_INVALID')))
    },
  )
})
