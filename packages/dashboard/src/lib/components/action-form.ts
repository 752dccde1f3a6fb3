import { type Html, html } from '../html.ts'

export interface ActionOptions {
  /** The URL to post to. */
  readonly action: string
  /** The button's label, such as “Resend”. */
  readonly label: Html
  /** `plain` by default. */
  readonly look?: 'plain' | 'primary' | 'danger' | undefined
  /** Hidden fields. */
  readonly hidden?: Readonly<Record<string, string | undefined>> | undefined
}

/** A button that posts a write. */
export function actionButton({ action, label, look = 'plain', hidden = {} }: ActionOptions): Html {
  return html`
    <form class="action" method="post" action=${action}>
      ${hiddenFields(hidden)}
      <button class=${buttonClass(look)} type="submit">${label}</button>
    </form>`
}

export interface ConfirmOptions extends ActionOptions {
  /** Explains what will happen, and whether it can be undone. */
  readonly question: Html
  /** The label of the second button, with the verb repeated: “Remove subscription”. */
  readonly confirm: string
  /** Further fields, between the question and the button. */
  readonly fields?: Html | undefined
}

/** A write that needs confirmation: the question opens below the button, by keyboard too, and without a script. */
export function confirmAction({
  action,
  label,
  look = 'plain',
  hidden = {},
  question,
  confirm,
  fields,
}: ConfirmOptions): Html {
  return html`
    <details class="confirm" name="confirm" data-menu>
      <summary class=${buttonClass(look === 'danger' ? 'danger-quiet' : look)}>${label}</summary>
      <form class="confirm-box" method="post" action=${action}>
        ${hiddenFields(hidden)}
        <div class="confirm-question">${question}</div>
        ${fields}
        <button class=${buttonClass(look === 'danger' ? 'danger' : 'primary')} type="submit">${confirm}</button>
      </form>
    </details>`
}

function hiddenFields(hidden: Readonly<Record<string, string | undefined>>): Html {
  return Object.entries(hidden)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)
}

function buttonClass(look: string): string {
  return look === 'plain' ? 'button' : `button button-${look}`
}
