import { type Html, html } from '../html.ts'

export interface ActionOptions {
  /** Where it is posted. */
  readonly action: string
  /** What the button does: “Send again”. */
  readonly label: Html
  /** `plain` by default. */
  readonly look?: 'plain' | 'primary' | 'danger' | undefined
  /** Fields that nobody sees. */
  readonly hidden?: Readonly<Record<string, string | undefined>> | undefined
}

/** A write behind one button. */
export function actionButton({ action, label, look = 'plain', hidden = {} }: ActionOptions): Html {
  return html`
    <form class="action" method="post" action=${action}>
      ${hiddenFields(hidden)}
      <button class=${buttonClass(look)} type="submit">${label}</button>
    </form>`
}

export interface ConfirmOptions extends ActionOptions {
  /** What happens, and whether it can be undone. */
  readonly question: Html
  /** What the second button says, the verb again: “Remove subscription”. */
  readonly confirm: string
  /** More fields, between question and button. */
  readonly fields?: Html | undefined
}

/** A write behind a second, deliberate step: the question opens under the button, without any script, and by keyboard. */
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
