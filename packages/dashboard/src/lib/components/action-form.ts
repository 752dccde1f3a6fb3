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
  /** The name of what the write changes. */
  readonly of: Html
  /** Explains what the write does, and whether it can be undone. */
  readonly question: Html
  /** The label of the confirming button. It repeats the action: “Remove subscription”. */
  readonly confirm: string
  /** Fields to show between the question and the confirming button. */
  readonly fields?: Html | undefined
}

/**
 * A button for a write that needs confirmation. Pressing the button opens a question and a confirming button below it.
 * This works without a script or a mouse.
 */
export function confirmAction({
  action,
  label,
  look = 'plain',
  hidden = {},
  of,
  question,
  confirm,
  fields,
}: ConfirmOptions): Html {
  return html`
    <details class="confirm" name="confirm" data-menu>
      <summary class=${buttonClass(look === 'danger' ? 'danger-quiet' : look)}>${label}</summary>
      <form class="confirm-box" method="post" action=${action}>
        ${hiddenFields(hidden)}
        <div class="confirm-question"><p><strong>${of}</strong></p>${question}</div>
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
