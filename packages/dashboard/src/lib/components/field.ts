import type { Issue } from '@callboard/core'
import { type Html, html } from '../html.ts'
import { icon } from './icon.ts'

interface FieldText {
  readonly name: string
  readonly label: Html
  /** Explains what to enter. */
  readonly hint?: Html | undefined
  /** All issues with the form. The field shows only the first issue that concerns this field. */
  readonly issues?: readonly Issue[] | undefined
}

export interface InputField extends FieldText {
  readonly kind?: 'text' | 'url' | 'datetime-local' | 'number' | undefined
  readonly value?: string | undefined
  readonly required?: boolean | undefined
  readonly placeholder?: string | undefined
  readonly maxlength?: number | undefined
  /**
   * The URL for checking the value while the viewer types. The script posts the field to it, and the response is
   * `{ ok, message? }`.
   */
  readonly check?: string | undefined
}

export interface SelectField extends FieldText {
  readonly kind: 'select'
  readonly value?: string | undefined
  readonly options: readonly { readonly value: string; readonly text: string }[]
}

/** A form control with its label, hint and error, which are linked to the control for screen readers. */
export function field(options: InputField | SelectField): Html {
  const { name, label, hint, issues = [] } = options
  const error = issueOf(issues, name)
  const id = fieldId(name)
  const wiring = {
    id,
    name,
    'aria-describedby': [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(' '),
    'aria-invalid': error === undefined ? undefined : 'true',
  }
  return html`
    <div class=${error === undefined ? 'field' : 'field field-wrong'}>
      <label for=${id}>${label}</label>
      ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
      ${options.kind === 'select' ? select(options, wiring) : input(options, wiring)}
      ${errorLine(`${id}-error`, error)}
    </div>`
}

function input({ kind = 'text', value, required, placeholder, maxlength, check }: InputField, wiring: object): Html {
  const plain =
    kind === 'url' || kind === 'text' ? { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } : {}
  return html`<input type=${kind} value=${value} required=${required} placeholder=${placeholder} maxlength=${maxlength} data-check=${check} ...${plain} ...${wiring} />`
}

function select({ value = '', options }: SelectField, wiring: object): Html {
  return html`
    <select ...${wiring}>
      ${options.map((option) => html`<option value=${option.value} selected=${option.value === value}>${option.text}</option>`)}
    </select>`
}

/**
 * A field's error. The element exists even without an error, so that screen readers announce an error that the script
 * adds later.
 */
function errorLine(id: string, error: string | undefined): Html {
  return html`<p class="field-error" id=${id} aria-live="polite">${error && html`${icon('alert')}`}${error && html`<span>${error}</span>`}</p>`
}

export interface ChoiceOptions {
  readonly kind: 'checkbox' | 'radio'
  readonly name: string
  /** `on` by default. */
  readonly value?: string | undefined
  readonly label: Html
  readonly hint?: Html | undefined
  readonly checked?: boolean | undefined
  readonly disabled?: boolean | undefined
}

/** A checkbox or a radio button. */
export function choice({ kind, name, value = 'on', label, hint, checked, disabled }: ChoiceOptions): Html {
  const id = `${fieldId(name)}-${value}`
  return html`
    <div class="choice">
      <input type=${kind} id=${id} name=${name} value=${value} checked=${checked} disabled=${disabled} aria-describedby=${hint && `${id}-hint`} />
      <div class="choice-text">
        <label for=${id}>${label}</label>
        ${hint && html`<div class="hint" id=${`${id}-hint`}>${hint}</div>`}
      </div>
    </div>`
}

export interface ChoicesOptions extends FieldText {
  /** The label of a checkbox that selects all choices. The script adds the checkbox only if there is a label. */
  readonly selectAll?: string | undefined
}

/** A group of choices with one legend, one hint and one error. */
export function choices({ name, label, hint, issues = [], selectAll }: ChoicesOptions, body: Html): Html {
  const error = issueOf(issues, name)
  const id = fieldId(name)
  return html`
    <fieldset class=${error === undefined ? 'field' : 'field field-wrong'} id=${id} tabindex="-1" data-select-all=${selectAll} aria-describedby=${[hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(' ')}>
      <legend>${label}</legend>
      ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
      ${errorLine(`${id}-error`, error)}
      ${body}
    </fieldset>`
}

/**
 * The message of the first issue with a field. If the field is a list, issues with its entries (`eventTypes.0`) count
 * too.
 */
function issueOf(issues: readonly Issue[], name: string): string | undefined {
  return issues.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message
}

/** The element id of a field, for links to it. */
export function fieldId(name: string): string {
  return `field-${name}`
}
