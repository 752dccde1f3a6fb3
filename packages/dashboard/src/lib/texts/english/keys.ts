import type { Html } from '../../html.ts'
import type { Count } from '../count.ts'

export type KeyTexts = typeof keys

/** The list of API keys, and the page of a key. */
export const keys = {
  title: 'API keys',
  one: 'API key',
  lead: {
    live: 'Automation tools and your own programs use these keys to call the API in live mode.',
    test: 'Automation tools and your own programs use these keys to call the API in test mode.',
  },
  create: 'Create API key',
  view: 'View key',
  viewAll: 'View API keys',
  viewNew: 'View new key',
  none: {
    title: 'No API keys yet',
    create: 'Create one and paste it into your automation tool or program.',
    ask: 'Ask an administrator of your account to create one.',
  },
  name: 'Name',
  scopes: 'Scopes',
  noScopes: 'No scopes',
  lastUsed: 'Last used',
  ends: 'Ends',
  states: { active: 'Active', replaced: 'Rotated', expired: 'Expired', revoked: 'Revoked' },
  replacedBy: (successor: (text: string) => Html): Html => ['replaced by ', successor('the new key')],
  scope: {
    'webhooks.read': {
      /** Use `first` if the scope is the first one in a list, and `further` otherwise. */
      first: 'Read events',
      further: 'read events',
      label: 'Read events and event types',
      meaning: 'For tools that poll for new events or list the available event types.',
    },
    'webhooks.write': {
      first: 'Manage subscriptions',
      further: 'manage subscriptions',
      label: 'Create and remove subscriptions',
      meaning: 'Automation tools such as Zapier, Make and n8n need this to turn automations on and off.',
    },
    'people.read': {
      first: 'See personal data',
      further: 'see personal data',
      label: 'See personal data',
      meaning:
        'Names, email addresses and similar fields, in events that the key reads and in deliveries to its subscriptions.',
    },
  },
  form: {
    nameHint: 'Where the key is used, so that you know which one to rotate or revoke later.',
    namePlaceholder: 'Zapier, bookkeeping',
    scopesHint: 'Grant only what the tool or program needs.',
    notYours: 'You cannot grant this scope, because you do not have permission for it yourself.',
    versionHint: 'The shape of the events that the program gets.',
    mode: { live: 'The key works in live mode.', test: 'The key works in test mode.' },
    submit: 'Create key',
    summary: 'No key was created',
  },
  issues: {
    noScope: 'Choose at least one scope.',
    notYours: 'You can only grant scopes that your own permissions cover.',
    nameLength: (min: number, max: number): string => `Enter a name of ${min} to ${max} characters.`,
    nameCharacters: 'The name must not contain control characters or broken Unicode.',
  },
  limitReached: {
    title: 'Your account has reached its limit of API keys',
    body: 'Revoke a key that you no longer need. Then submit this form again: your entries are still here.',
  },
  expiry: {
    title: 'Expires',
    hint: 'When a key expires, it stops working and its subscriptions are disabled. Rotate it before then.',
    days: ({ text }: Count): string => `In ${text} days`,
    year: 'In a year',
  },
  created: { title: 'Key created', next: 'Paste it into the tool or program that needs it.' },
  rotated: {
    title: 'Key rotated',
    replaceNow: 'Replace the old key now: it no longer works.',
    replaceSoon: 'Replace the old key soon: it keeps working only for the time you chose.',
  },
  notRotated: {
    title: 'Not rotated',
    heading: 'This key can no longer be rotated',
    body: 'It has already been rotated, was revoked or has expired. A new key is shown only once: if you did not copy the new key, rotate it.',
  },
  createdBefore: {
    title: 'Already created',
    heading: 'This key has already been created',
    body: 'No second key was created. A key is shown only once: if you did not copy it, revoke it and create another.',
  },
  /** Completes the name of the token's copy button: “Copy API key”. */
  tokenName: 'API key',
  keyId: 'key ID',
  activeSubscriptions: 'Active subscriptions',
  expires: 'Expires',
  expired: 'Expired',
  revoked: 'Revoked',
  done: { revoked: 'API key revoked. It no longer works.', moved: 'Format version changed.' },
  howToMove: 'Change the version of this key once the program that uses it understands the new one.',
  replaced: {
    title: (until: Html): Html => ['Rotated. Switch to the new key: this one works until ', until, '.'],
    body: 'Its subscriptions already use the new key, so deliveries are not interrupted.',
  },
  ended: {
    revoked: 'Revoked. This key no longer works.',
    expired: 'Expired. This key no longer works.',
    taken: 'The new key has taken over its subscriptions.',
    disabled:
      'Its subscriptions are disabled. Give the tool another key and turn its automations on again: deliveries resume from then on.',
  },
  actions: {
    revoke: 'Revoke',
    revokeQuestion: 'The key stops working immediately. This cannot be undone.',
    revokeConfirm: 'Revoke key',
    noneDepends: 'No active subscription depends on it.',
    depend: ({ text, plural }: Count): string =>
      plural === 'one'
        ? '1 active subscription depends on it and will be disabled. To keep it active, rotate the key instead.'
        : `${text} active subscriptions depend on it and will be disabled. To keep them active, rotate the key instead.`,
    move: 'Change version',
    moveQuestion: 'The program that uses the key gets events in another shape immediately.',
    moveHint: 'Applies to requests with this key. Its subscriptions keep their own versions.',
    rotate: 'Rotate',
    rotateQuestion:
      'You get a new key with the same scopes. It takes over the subscriptions of this key, so deliveries are not interrupted. If this key itself has replaced another one, that oldest key stops working at once.',
    rotateConfirm: 'Rotate key',
    overlap: 'Keep the old key valid for',
  },
}
