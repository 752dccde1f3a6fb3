import type { Html } from '../../html.ts'

export type FormatVersionTexts = typeof formatVersions

/** Format versions of events, on the pages of subscriptions and keys. */
export const formatVersions = {
  title: 'Format version',
  ended: (served: string): string => `(ended; gets ${served})`,
  deprecated: '(deprecated)',
  current: '(current)',
  hasEnded: (version: string): string => `Format version ${version} has ended.`,
  getsInstead: (served: string): string => `Events have the format of version ${served} instead.`,
  isDeprecated: (version: string): string => `Format version ${version} is deprecated.`,
  endsOn: (date: Html): Html => ['It ends on ', date, '.'],
  mayEndOn: (date: Html): Html => ['It may end on ', date, '.'],
  whatChanges: 'What changes',
  notOffered: 'This format version is no longer offered. Choose another one.',
}
