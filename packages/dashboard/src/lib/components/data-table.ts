import { type Html, html } from '../html.ts'
import type { Tone } from './badge.ts'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => Html
  /**
   * `main` leads the row, on a phone it heads the card; a link in it takes clicks on the whole row. `number` is set flush right,
   * `actions` holds buttons and shows no head, `wide` takes what room is left.
   */
  readonly kind?: 'main' | 'number' | 'actions' | 'wide' | undefined
}

export interface DataTableOptions<Row> {
  /** What the rows are; for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Names the row, so that live refresh knows it again. */
  readonly id: (row: Row) => string
  /** Marks rows that want attention. */
  readonly tone?: ((row: Row) => Tone | undefined) | undefined
}

/** Rows of a list. On a phone each becomes a card, its cells labelled by their heads; the roles keep it a table for screen readers. */
export function dataTable<Row>({ caption, columns, rows, id, tone = () => undefined }: DataTableOptions<Row>): Html {
  return html`
    <table class="data-table" role="table">
      <caption class="unseen">${caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ head, kind }) => html`<th scope="col" role="columnheader" class=${classOf(kind)}><span class=${kind === 'actions' ? 'unseen' : undefined}>${head}</span></th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => {
          const mark = tone(row)
          return html`
            <tr role="row" id=${`row-${id(row)}`} class=${mark && `row-${mark}`}>
              ${columns.map((column) => html`<td role="cell" class=${classOf(column.kind)} data-head=${column.head}><div class="cell">${column.cell(row)}</div></td>`)}
            </tr>`
        })}
      </tbody>
    </table>`
}

function classOf(kind: Column<unknown>['kind']): string | undefined {
  return kind && `column-${kind}`
}
