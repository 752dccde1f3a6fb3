import { type Html, html } from '../html.ts'

/** Paths on a 16 × 16 grid, drawn as lines in the text colour. */
const ICONS = {
  alert:
    'M8 5.5v3.25M8 11h.01M6.9 2.6 1.7 11.6A1.25 1.25 0 0 0 2.8 13.5h10.4a1.25 1.25 0 0 0 1.1-1.9L9.1 2.6a1.27 1.27 0 0 0-2.2 0Z',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  check: 'm3.5 8.5 3 3 6-7',
  clock: 'M8 5v3.25l2 1.25M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  cross: 'm4.5 4.5 7 7m0-7-7 7',
  info: 'M8 7.5V11M8 5h.01M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  minus: 'M4 8h8',
  next: 'M6.5 3.5 11 8l-4.5 4.5',
  pause: 'M6 4v8m4-8v8',
  plus: 'M8 3.5v9M3.5 8h9',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
} as const

export type IconName = keyof typeof ICONS

/** A small icon. Screen readers skip it, because the text beside it says the same. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d=${ICONS[name]} /></svg>`
}
