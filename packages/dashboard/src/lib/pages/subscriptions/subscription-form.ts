import type { Issue, SubscriptionRecord } from '@callboard/core'
import {
  DESCRIPTION_LENGTH,
  EVENT_TYPES_COUNT,
  type ListedEventType,
  TARGET_URL_MAX_LENGTH,
} from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { errorSummary } from '../../components/error-summary.ts'
import { choice, choices, field } from '../../components/field.ts'
import { jsonView } from '../../components/json-view.ts'
import { type Html, html } from '../../html.ts'
import { chosenVersion, versionField } from '../format-version.ts'
import { type IssueWords, inWords, UNREADABLE_FORM } from '../issue-words.ts'

/** The entered values of the form. */
export interface FormValues {
  readonly targetUrl: string
  readonly description: string
  readonly eventTypes: readonly string[]
  readonly personalData: boolean
  /** The chosen format version; undefined for the current one. */
  readonly apiVersion: string | undefined
}

export const EMPTY_FORM: FormValues = {
  targetUrl: '',
  description: '',
  eventTypes: [],
  personalData: false,
  apiVersion: undefined,
}

export function valuesOf({
  targetUrl,
  description = '',
  eventTypes,
  personalData = false,
  apiVersion,
}: SubscriptionRecord): FormValues {
  return { targetUrl, description, eventTypes, personalData, apiVersion }
}

export function readValues(form: URLSearchParams): FormValues {
  return {
    targetUrl: (form.get('targetUrl') ?? '').trim(),
    description: (form.get('description') ?? '').trim(),
    eventTypes: form.getAll('eventTypes'),
    personalData: form.has('personalData'),
    apiVersion: chosenVersion(form),
  }
}

/**
 * Whether to offer the choice of personal data: only if the viewer may see personal data and an event type contains it.
 */
export function mayChoosePersonalData(call: Call): boolean {
  return (
    call.may('people.read') &&
    call.callboard.catalog.listed.some(({ personalDataPaths }) => personalDataPaths.length > 0)
  )
}

export interface SubscriptionFormOptions {
  readonly action: string
  readonly values: FormValues
  /**
   * The subscription's current event types; none by default. The viewer can keep them even if the catalogue no longer
   * has them.
   */
  readonly knownTypes?: readonly string[] | undefined
  readonly issues?: readonly Issue[] | undefined
  /** The button's label, such as “Create subscription”. */
  readonly submit: string
  /** The URL of the cancel link. */
  readonly cancel: string
  /** Hidden fields. */
  readonly hidden?: Html | undefined
}

/** The form that creates or changes a subscription: target, name, event types and personal data. */
export function subscriptionForm(call: Call, options: SubscriptionFormOptions): Html {
  const { action, values, issues: given = [], submit, cancel, hidden } = options
  const issues = inWords(given, SUBSCRIPTION_WORDS)
  return html`
    <form class="form" method="post" action=${action} novalidate>
      ${errorSummary(issues)}
      ${hidden}
      ${field({
        name: 'targetUrl',
        kind: 'url',
        label: 'Target URL',
        hint: 'A public https:// URL of yours. Events are sent to it as POST requests.',
        placeholder: 'https://example.com/webhooks',
        value: values.targetUrl,
        required: true,
        maxlength: TARGET_URL_MAX_LENGTH,
        check: call.href('/subscriptions/check-target'),
        issues,
      })}
      ${field({
        name: 'description',
        label: 'Name',
        hint: 'Optional. Helps you recognise the subscription.',
        value: values.description,
        maxlength: DESCRIPTION_LENGTH.max,
        issues,
      })}
      ${versionField(call, {
        value: values.apiVersion ?? call.engine.formats.current,
        hint: 'The shape of the events that the receiver gets. Choose an older version only if the receiver needs it.',
        issues,
      })}
      ${choices(
        { name: 'eventTypes', label: 'Event types', hint: 'Choose which events to send.', issues, selectAll: true },
        families(call, values.apiVersion, options.knownTypes ?? []).map((family) =>
          familyChoices(family, values, call),
        ),
      )}
      ${mayChoosePersonalData(call) && personalDataChoice(values)}
      <div class="form-end">
        <button class="button button-primary" type="submit">${submit}</button>
        <a class="button" href=${cancel}>Cancel</a>
      </div>
    </form>`
}

interface Family {
  readonly name: string
  readonly types: readonly Pick<ListedEventType, 'type' | 'descriptionKey' | 'sample'>[]
  /** Event types that are no longer in the catalogue; none by default. */
  readonly former?: readonly string[] | undefined
}

/**
 * The families of a format version in the catalogue's order, then the subscription's event types that the version does
 * not have.
 */
function families(
  { accountId, engine: { formats } }: Call,
  apiVersion: string | undefined,
  knownTypes: readonly string[],
): readonly Family[] {
  const version = formats.served(apiVersion ?? formats.current)
  const former = knownTypes.filter((type) => version.get(type) === undefined)
  const offered = formats.offered(version, accountId)
  const names = [...new Set(offered.map(({ family }) => family))]
  const listed = names.map((name) => ({ name, types: offered.filter(({ family }) => family === name) }))
  return former.length === 0 ? listed : [...listed, { name: 'no longer offered', types: [], former }]
}

function familyChoices({ name, types, former = [] }: Family, { eventTypes }: FormValues, { describe }: Call): Html {
  const box = (type: string, hint?: string): Html =>
    choice({ kind: 'checkbox', name: 'eventTypes', value: type, label: type, hint, checked: eventTypes.includes(type) })
  return html`
    <div class="choice-family" role="group" aria-label=${title(name)}>
      <h2>${title(name)}</h2>
      ${types.map(
        ({ type, descriptionKey, sample }) => html`
          <div class="choice-type">
            ${box(type, describe(descriptionKey))}
            <details class="sample">
              <summary>Sample<span class="unseen"> of ${type}</span></summary>
              ${jsonView(JSON.stringify(sample), `the sample of ${type}`)}
            </details>
          </div>`,
      )}
      ${former.map((type) => box(type))}
    </div>`
}

function title(family: string): string {
  const words = family.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function personalDataChoice({ personalData }: FormValues): Html {
  return choices(
    { name: 'personalData', label: 'Personal data' },
    choice({
      kind: 'checkbox',
      name: 'personalData',
      label: 'Send personal data',
      checked: personalData,
      hint: 'Names, email addresses and similar fields, as in the samples. Select this only if the receiver needs them. Otherwise they are removed before anything is sent.',
    }),
  )
}

/** The messages of this form. */
export const SUBSCRIPTION_WORDS: IssueWords = {
  targetUrl: {
    TARGET:
      'Use a public https:// URL with a domain name and a standard port, without user name, password or #fragment.',
  },
  eventTypes: {
    COUNT: `Choose ${EVENT_TYPES_COUNT.min} to ${EVENT_TYPES_COUNT.max} event types.`,
    UNKNOWN: 'An event type that you chose is no longer offered, or not in this format version. Review your choice.',
    CONFLICT: 'The event types were changed too often. Wait until the pending deliveries are sent, then change them.',
  },
  description: {
    LENGTH: `The name must be at most ${DESCRIPTION_LENGTH.max} characters.`,
    CHARACTERS: 'The name must not contain control characters or broken Unicode.',
  },
  apiVersion: { UNKNOWN: 'This format version is no longer offered. Choose another one.' },
  idempotencyKey: UNREADABLE_FORM,
}
