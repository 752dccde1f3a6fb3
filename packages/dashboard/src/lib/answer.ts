import type { Html } from './html.ts'

/** Where a page stands in the navigation. */
export type Section = 'subscriptions' | 'events' | 'keys'

/** A page, to be put into the layout. */
export interface Page {
  readonly title: string
  readonly section?: Section | undefined
  readonly body: Html
  /** 200 by default. */
  readonly status?: number | undefined
  /** Fetched again every few seconds while it is looked at, and put in place without flicker; not by default. */
  readonly live?: boolean | undefined
}

/** What a page's handler gives: a page, the address to go on to after a write (303), or data for the script. */
export type Answer =
  | Page
  | { readonly redirect: string }
  | { readonly json: unknown; readonly status?: number | undefined }
