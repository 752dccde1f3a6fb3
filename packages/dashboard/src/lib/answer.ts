import type { Html } from './html.ts'

/** A section of the navigation. */
export type Section = 'overview' | 'subscriptions' | 'events' | 'keys' | 'audit'

/** A page, without the layout around it. */
export interface Page {
  readonly title: string
  readonly section?: Section | undefined
  readonly body: Html
  /** 200 by default. */
  readonly status?: number | undefined
  /** Whether the browser script refreshes the page every few seconds while it is visible; false by default. */
  readonly live?: boolean | undefined
}

/** The result of a handler: a page, a redirect after a write (303), or JSON for the browser script. */
export type Answer =
  | Page
  | { readonly redirect: string }
  | { readonly json: unknown; readonly status?: number | undefined }
