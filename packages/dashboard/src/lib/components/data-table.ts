import { type Html, html } from '../html.ts'
import type { Tone } from './badge.ts'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => Html
  /**
   * - `main`: the row's title, and on a phone its heading. A click on the row follows the title's link.
   * - `state`: a badge and a note, which is cut off after two lines, and on a phone after one.
   * - `number`: aligned right.
   * - `actions`: buttons. The head of this column is only for screen readers.
   * - `wide`: fills the remaining width.
   */
  readonly kind?: 'main' | 'state' | 'number' | 'actions' | 'wide' | undefined
  /**
   * How a phone shows the cell; by default with the column's head before the value.
   * - `bare`: without the head, because the value is clear without it.
   * - `unless-noted`: with the head; in a row whose state has a note, the cell is hidden.
   * - `never`: hidden, because the row's own page shows the value.
   */
  readonly phone?: 'bare' | 'unless-noted' | 'never' | undefined
}

export interface DataTableOptions<Row> {
  /** Describes the rows to screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Returns the row's stable id, by which a live refresh matches new rows with old rows. */
  readonly id: (row: Row) => string
  /** Returns the tone of a row that needs attention, or undefined for other rows. */
  readonly tone?: ((row: Row) => Tone | undefined) | undefined
}

/**
 * A list as a table. On a phone each row becomes a card: title and state come first, then the other cells with their
 * labels. Because of the `role` attributes, screen readers treat the cards as a table, too.
 */
export function dataTable<Row>({ caption, columns, rows, id, tone = () => undefined }: DataTableOptions<Row>): Html {
  return html`
    <table class="data-table" role="table">
      <caption class="unseen">${caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ head, kind }) => html`<th scope="col" role="columnheader" class=${classOf(kind, undefined)}><span class=${kind === 'actions' ? 'unseen' : undefined}>${head}</span></th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => {
          const mark = tone(row)
          return html`
            <tr role="row" id=${`row-${id(row)}`} class=${mark && `row-${mark}`}>
              ${columns.map((column) => html`<td role="cell" class=${classOf(column.kind, column.phone)} data-head=${column.head}><div class="cell">${column.cell(row)}</div></td>`)}
            </tr>`
        })}
      </tbody>
    </table>`
}

function classOf(kind: Column<unknown>['kind'], phone: Column<unknown>['phone']): string | undefined {
  const classes = [kind && `column-${kind}`, phone && `phone-${phone}`].filter((name) => name !== undefined)
  return classes.length === 0 ? undefined : classes.join(' ')
}
