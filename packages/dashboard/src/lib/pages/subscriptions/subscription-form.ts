import type { EventType, Issue, SubscriptionRecord } from '@callboard/core'
import { DESCRIPTION_LENGTH, EVENT_TYPES_COUNT, TARGET_URL_MAX_LENGTH } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { errorSummary } from '../../components/error-summary.ts'
import { choice, choices, field } from '../../components/field.ts'
import { jsonView } from '../../components/json-view.ts'
import { titled } from '../../components/titled.ts'
import { type Html, html } from '../../html.ts'
import { chosenVersion, versionField } from '../format-version.ts'
import { type IssueWords, inWords } from '../issue-words.ts'

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
 * Whether to offer the choice to send personal data: only if the viewer may see such data and an event type contains
 * it.
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
  const issues = inWords(call, given, issueWords(call))
  const { common, subscriptionForm: words } = call.texts
  return html`
    <form class="form" method="post" action=${action} novalidate>
      ${errorSummary(call, issues)}
      ${hidden}
      ${field({
        name: 'targetUrl',
        kind: 'url',
        label: words.targetUrl,
        hint: words.targetUrlHint,
        placeholder: 'https://example.com/webhooks',
        value: values.targetUrl,
        required: true,
        maxlength: TARGET_URL_MAX_LENGTH,
        check: call.href('/subscriptions/check-target'),
        issues,
      })}
      ${field({
        name: 'description',
        label: words.name,
        hint: words.nameHint,
        value: values.description,
        maxlength: DESCRIPTION_LENGTH.max,
        issues,
      })}
      ${versionField(call, {
        value: values.apiVersion ?? call.engine.formats.current,
        hint: words.versionHint,
        issues,
      })}
      ${choices(
        {
          name: 'eventTypes',
          label: common.eventTypes,
          hint: words.eventTypesHint,
          issues,
          selectAll: common.selectAll,
        },
        families(call, values.apiVersion, options.knownTypes ?? []).map((family) =>
          familyChoices(family, values, call),
        ),
      )}
      ${mayChoosePersonalData(call) && personalDataChoice(values, call)}
      <div class="form-end">
        <button class="button button-primary" type="submit">${submit}</button>
        <a class="button" href=${cancel}>${common.cancel}</a>
      </div>
    </form>`
}

interface Family {
  readonly name: string
  readonly types: readonly EventType[]
  /** The subscription's event types that are not in the format version; none by default. */
  readonly former?: readonly string[] | undefined
}

/**
 * The families of event types in a format version, in the catalogue's order. The event types that the subscription has
 * and the version lacks form one more family at the end.
 */
function families(
  { accountId, engine: { formats }, texts, describe }: Call,
  apiVersion: string | undefined,
  knownTypes: readonly string[],
): readonly Family[] {
  const version = formats.served(apiVersion ?? formats.current)
  const former = knownTypes.filter((type) => version.get(type) === undefined)
  const offered = formats.offered(version, accountId).flatMap(({ type }) => version.get(type) ?? [])
  const names = [...new Set(offered.map(({ family }) => family))]
  const listed = names.map((name) => {
    const types = offered.filter(({ family }) => family === name)
    const given = types.map((type) => describe(type).family).find((family) => family !== undefined)
    return { name: given ?? title(name), types }
  })
  return former.length === 0 ? listed : [...listed, { name: texts.subscriptionForm.noLongerOffered, types: [], former }]
}

function familyChoices({ name, types, former = [] }: Family, { eventTypes }: FormValues, call: Call): Html {
  const { sample: word, sampleOf, sampleName } = call.texts.subscriptionForm
  const box = (value: string, type?: EventType): Html => {
    const shown = type && call.describe(type)
    const [label, hint] = [titled(value, shown?.title), shown?.description]
    return choice({ kind: 'checkbox', name: 'eventTypes', value, label, hint, checked: eventTypes.includes(value) })
  }
  return html`
    <div class="choice-family" role="group" aria-label=${name}>
      <h2>${name}</h2>
      ${types.map(
        (type) => html`
          <div class="choice-type">
            ${box(type.name, type)}
            <details class="sample">
              <summary>${word}<span class="unseen">${sampleOf(type.name)}</span></summary>
              ${jsonView(call, JSON.stringify(type.sample), { label: sampleName(type.name) })}
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

function personalDataChoice({ personalData }: FormValues, { texts: { common, subscriptionForm } }: Call): Html {
  return choices(
    { name: 'personalData', label: common.personalData },
    choice({
      kind: 'checkbox',
      name: 'personalData',
      label: subscriptionForm.sendPersonalData,
      checked: personalData,
      hint: subscriptionForm.personalDataHint,
    }),
  )
}

/** The messages of this form. */
export function issueWords({ texts: { formatVersions, problems, subscriptionForm } }: Pick<Call, 'texts'>): IssueWords {
  const { issues } = subscriptionForm
  return {
    targetUrl: { TARGET: issues.target },
    eventTypes: {
      COUNT: issues.eventTypesCount(EVENT_TYPES_COUNT.min, EVENT_TYPES_COUNT.max),
      UNKNOWN: issues.eventTypesUnknown,
      CONFLICT: issues.changePending,
    },
    description: {
      LENGTH: issues.nameLength(DESCRIPTION_LENGTH.max),
      CHARACTERS: issues.nameCharacters,
    },
    apiVersion: { UNKNOWN: formatVersions.notOffered },
    idempotencyKey: problems.unreadableForm,
  }
}
