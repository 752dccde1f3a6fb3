import type { Call } from '../../call.ts'
import { filterBar } from '../../components/filter-bar.ts'
import { jsonView } from '../../components/json-view.ts'
import { type Html, html } from '../../html.ts'
import { unconvertible } from '../read-in-version.ts'

const PARAMETER = 'version'

/** The format version to compare the event with; undefined if none was chosen, or one that is not served. */
export function otherVersion({ query, engine: { formats } }: Call): string | undefined {
  const asked = query.get(PARAMETER)
  return asked !== null && formats.isServed(asked) ? asked : undefined
}

/** The form for choosing the version to compare with. Undefined if there is only one version. */
export function versionChoice(call: Call): Html {
  const versions = call.engine.formats.servedVersions().map(({ version }) => version)
  if (versions.length < 2) return undefined
  const words = call.texts.events
  const options = versions.map((version) => ({ value: version, text: words.inVersion(version) }))
  return filterBar(call, [{ kind: 'select', name: PARAMETER, label: words.compare, all: words.compareWith, options }])
}

interface InVersion {
  readonly version: string
  readonly text: string
}

/** Shows an event in the format version in which it is stored, and beside it in another version. */
export function sideBySide(call: Call, stored: InVersion, other: InVersion): Html {
  const words = call.texts.events
  return html`
    <div class="side-by-side">
      <section aria-labelledby="stored-version">
        <h3 id="stored-version">${words.stored(stored.version)}</h3>
        ${jsonView(call, stored.text, { label: words.storedName, open: true })}
      </section>
      <section aria-labelledby="other-version">
        <h3 id="other-version">${words.asSentIn(other.version)}</h3>
        ${other.text === 'unconvertible' ? unconvertible(call) : jsonView(call, other.text, { label: words.convertedName, open: true })}
      </section>
    </div>`
}
