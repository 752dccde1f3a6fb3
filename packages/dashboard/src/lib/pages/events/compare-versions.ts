import type { Call } from '../../call.ts'
import { filterBar } from '../../components/filter-bar.ts'
import { jsonView } from '../../components/json-view.ts'
import { type Html, html } from '../../html.ts'
import { UNCONVERTIBLE } from '../read-in-version.ts'

const PARAMETER = 'version'

/** The format version to compare the event with; undefined if none was chosen. */
export function otherVersion({ query, engine: { formats } }: Call): string | undefined {
  const asked = query.get(PARAMETER)
  return asked !== null && formats.isServed(asked) ? asked : undefined
}

/** The form to choose the version to compare with. Undefined if there is only one. */
export function versionChoice(call: Call): Html {
  const versions = call.engine.formats.servedVersions().map(({ version }) => version)
  if (versions.length < 2) return undefined
  const options = versions.map((version) => ({ value: version, text: `In version ${version}` }))
  return filterBar(call, [
    { kind: 'select', name: PARAMETER, label: 'Compare with a format version', all: 'Compare with …', options },
  ])
}

interface InVersion {
  readonly version: string
  readonly text: string
}

/** Shows an event as it is stored, and as somebody who is pinned to another version gets it. */
export function sideBySide(stored: InVersion, other: InVersion): Html {
  return html`
    <div class="side-by-side">
      <section aria-labelledby="stored-version">
        <h3 id="stored-version">Stored, version ${stored.version}</h3>
        ${jsonView(stored.text, 'stored envelope', { open: true })}
      </section>
      <section aria-labelledby="other-version">
        <h3 id="other-version">As sent in version ${other.version}</h3>
        ${other.text === 'unconvertible' ? UNCONVERTIBLE : jsonView(other.text, 'converted envelope', { open: true })}
      </section>
    </div>`
}
