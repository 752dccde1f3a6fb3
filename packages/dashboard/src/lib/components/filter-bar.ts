import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { localTime } from '../time-zone.ts'
import { icon } from './icon.ts'
import { pageQuery } from './page-query.ts'

export interface FilterOption {
  readonly value: string
  readonly text: string
}

export type Filter =
  | {
      readonly kind: 'select'
      readonly name: string
      readonly label: string
      /** The label of the empty option: “All types”. */
      readonly all: string
      readonly options: readonly FilterOption[]
    }
  | {
      readonly kind: 'search'
      readonly name: string
      readonly label: string
      readonly placeholder?: string | undefined
    }
  | {
      /**
       * A time in the page's zone. The zone is sent with it, so that a link means the same time to viewers in other
       * zones.
       */
      readonly kind: 'time'
      readonly name: string
      readonly label: string
      readonly value: Date | undefined
    }

export interface FilterBarOptions {
  /** The query parameters that stay in the URL when the form is submitted, such as the parameter of `filterTabs`. */
  readonly keep?: readonly string[] | undefined
}

/** The filters of a list, as a form. The script submits the form as soon as a select changes. */
export function filterBar(call: Call, filters: readonly Filter[], { keep = [] }: FilterBarOptions = {}): Html {
  const active = filters.filter(({ name }) => call.query.get(name))
  const kept = keep.flatMap((name) => call.query.getAll(name).map((value) => ({ name, value })))
  return html`
    <form class="filters" method="get" role="search" data-filters>
      ${kept.map(({ name, value }) => html`<input type="hidden" name=${name} value=${value} />`)}
      ${filters.map((filter) => control(call, filter, call.query.get(filter.name) ?? ''))}
      ${filters.some(({ kind }) => kind === 'time') && html`<input type="hidden" name="zone" value=${call.timeZone} />`}
      <button class="button" type="submit">${call.texts.common.showFilters}</button>
      ${active.length > 0 && html`<a class="clear" href=${pageQuery(call, { ...Object.fromEntries(active.map(({ name }) => [name, undefined])), cursor: undefined })}>${call.texts.common.clearFilters}</a>`}
    </form>`
}

function control(call: Call, filter: Filter, value: string): Html {
  const { name, label } = filter
  const id = `filter-${name}`
  if (filter.kind === 'search')
    return html`
      <div class="filter filter-search">
        <label class="unseen" for=${id}>${label}</label>
        <input type="search" id=${id} name=${name} value=${value} placeholder=${filter.placeholder ?? label} maxlength="200" autocomplete="off" spellcheck=${false} />
      </div>`
  if (filter.kind === 'time')
    return html`
      <div class="filter filter-time">
        <label for=${id}>${label}</label>
        <input type="datetime-local" id=${id} name=${name} value=${filter.value && localTime(filter.value, call.timeZone)} />
      </div>`
  return html`
    <div class="filter">
      <label class="unseen" for=${id}>${label}</label>
      <select id=${id} name=${name}>
        <option value="" selected=${value === ''}>${filter.all}</option>
        ${filter.options.map((option) => html`<option value=${option.value} selected=${option.value === value}>${option.text}</option>`)}
      </select>
    </div>`
}

export interface FilterTab extends FilterOption {
  readonly count?: Html | undefined
  /** Whether the tab's entries need attention; false by default. */
  readonly alarming?: boolean | undefined
}

/** The most useful values of one filter as links, optionally with counts. The value `''` removes the filter. */
export function filterTabs(call: Call, label: string, name: string, tabs: readonly FilterTab[]): Html {
  const chosen = call.query.get(name) ?? ''
  return html`
    <nav class="filter-tabs" aria-label=${label}>
      <ul>
        ${tabs.map(
          ({ value, text, count, alarming = false }) => html`
            <li>
              <a href=${pageQuery(call, { [name]: value, cursor: undefined })} aria-current=${value === chosen ? 'true' : undefined} class=${alarming ? 'alarming' : undefined}>
                ${alarming && icon('alert')}${text}${count !== undefined && html`<span class="count">${count}</span>`}
              </a>
            </li>`,
        )}
      </ul>
    </nav>`
}
