import type { Issue } from '@callboard/core'
import type { Call } from '../call.ts'
import { callout } from '../components/callout.ts'
import { field } from '../components/field.ts'
import { time } from '../components/time.ts'
import { type Html, html } from '../html.ts'

/** A format version, marked if it is deprecated or has ended. */
export function versionInWords(version: string, { engine: { formats }, texts: { formatVersions: words } }: Call): Html {
  const served = formats.served(version).version
  if (served !== version) return html`<span>${version} <span class="muted">${words.ended(served)}</span></span>`
  if (formats.isDeprecated(version)) return html`<span>${version} <span class="muted">${words.deprecated}</span></span>`
  return version
}

/** Whether keys and subscriptions pinned to this version should move to another one. */
export function isOutdated(version: string, { engine: { formats } }: Call): boolean {
  return formats.served(version).version !== version || formats.isDeprecated(version)
}

/**
 * The callout for a subscription or key that is pinned to a version that is deprecated or has ended; undefined for
 * other versions.
 *
 * @param how a sentence that says how to move the subscription or key.
 */
export function versionCallout(version: string, how: Html, call: Call): Html {
  const { formats } = call.engine
  const words = call.texts.formatVersions
  const served = formats.served(version)
  if (served.version !== version)
    return callout('warning', {
      title: words.hasEnded(version),
      body: html`<p>${words.getsInstead(served.version)} ${how}</p>`,
    })
  if (!formats.isDeprecated(version)) return undefined
  const { sunset, enforceSunset = false, link } = served.retirement ?? {}
  const on = sunset && time(call, new Date(sunset), { as: 'full' })
  const end = on && [enforceSunset ? words.endsOn(on) : words.mayEndOn(on), ' ']
  return callout('warning', {
    title: words.isDeprecated(version),
    body: html`<p>${end}${how}</p>`,
    actions: link && html`<a class="button" href=${link} rel="noreferrer">${words.whatChanges}</a>`,
  })
}

/** The field for choosing a format version. Undefined if there is only one version. */
export function versionField(
  call: Call,
  { value, hint, issues }: { value: string; hint: string; issues?: readonly Issue[] },
): Html {
  const { formats } = call.engine
  const versions = formats.servedVersions().map(({ version }) => version)
  if (versions.length < 2) return undefined
  return field({
    kind: 'select',
    name: 'apiVersion',
    label: call.texts.formatVersions.title,
    hint,
    value: formats.served(value).version,
    options: versions.map((version) => ({ value: version, text: textOf(version, call) })),
    issues,
  })
}

function textOf(version: string, { engine: { formats }, texts: { formatVersions: words } }: Call): string {
  if (version === formats.current) return `${version} ${words.current}`
  return formats.isDeprecated(version) ? `${version} ${words.deprecated}` : version
}

/** The version that was chosen in a form; undefined if the form has no such field. */
export function chosenVersion(form: URLSearchParams): string | undefined {
  return form.get('apiVersion') || undefined
}
