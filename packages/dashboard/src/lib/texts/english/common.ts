import type { Count } from '../count.ts'

export type CommonTexts = typeof common

/** The texts that all pages share. */
export const common = {
  /** The end of every page's title in the browser: “Events · Webhooks”. */
  product: 'Webhooks',
  skipToContent: 'Skip to content',
  sections: 'Sections',
  section: {
    overview: 'Overview',
    subscriptions: 'Subscriptions',
    events: 'Events',
    keys: 'API keys',
    audit: 'Audit trail',
  },
  modes: { live: 'Live', test: 'Test' },
  testMode: 'Test mode',
  /**
   * Shown on a page that refreshes itself: `updated` while it is up to date, otherwise `outOfDateSince`. `time` is
   * relative to now, such as “3 sec. ago”.
   */
  updated: (time: string): string => `Updated ${time}`,
  outOfDateSince: (time: string): string => `Out of date since ${time}`,
  documentation: 'API documentation',
  contactSupport: 'Contact support',
  timesIn: (zone: string): string => `Times are in ${zone}.`,
  copy: 'Copy',
  /** The accessible name of a copy button. `what` is the name of a value, such as `keys.keyId`. */
  copyWhat: (what: string): string => `Copy ${what}`,
  copied: 'Copied',
  copyFailed: 'Copy failed',
  copyNow: 'Copy it now. It will not be shown again.',
  haveCopied: 'I have copied it',
  cancel: 'Cancel',
  selectAll: 'Select all',
  showFilters: 'Show',
  clearFilters: 'Clear',
  from: 'From',
  to: 'To',
  state: 'State',
  actions: 'Actions',
  about: 'About',
  never: 'Never',
  created: 'Created',
  mode: 'Mode',
  id: 'ID',
  pages: 'Pages',
  newest: 'Newest',
  older: 'Older',
  searchOlder: 'Search older',
  more: 'More',
  endOfList: 'This is the end of the list.',
  noMatchesYet: 'No matches yet',
  showNewest: 'Show newest',
  unreadableList: {
    title: 'This page cannot be shown',
    body: 'The link is invalid, or it belongs to another list.',
  },
  showAllLines: ({ text }: Count): string => `Show all ${text} lines`,
  allEventTypes: 'All event types',
  eventType: 'Event type',
  eventTypes: 'Event types',
  personalData: 'Personal data',
  target: 'Target',
  changes: 'Changes',
  viewInAuditTrail: 'View in the audit trail',
  overlap: {
    hint: 'Choose how much time you need to switch to the new one. If the old one has leaked, choose “No time”.',
    day: '24 hours',
    hour: '1 hour',
    week: '7 days',
    none: 'No time: it stops immediately',
  },
}
