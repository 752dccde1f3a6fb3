import { CallboardError } from '@callboard/core'
import type { Snippet } from './snippet.ts'

/** What the dashboard says of your product. Links are https: or http: URLs, or paths of your own site. */
export interface DashboardBrand {
  /** The name of your product. It stands in the header, and at the end of each page's title. */
  readonly name: string
  /**
   * An image that the header shows instead of the name, at a height of 24 pixels: a path of your own site, such as
   * `/logo.svg`, or a `data:` URL.
   */
  readonly logo?: string | undefined
  /** Where the name in the header leads, such as the start page of your product; nowhere by default. */
  readonly home?: string | undefined
  /** Where viewers get help; may be a `mailto:` URL. No page has a link to your support by default. */
  readonly support?: string | undefined
  /** Your API's documentation; no link by default. */
  readonly docs?: string | undefined
  /** How your customers verify deliveries. */
  readonly receiving?:
    | {
        /** Your page about it; no link by default. */
        readonly guide?: string | undefined
        /** Replace the examples, which use the libraries of Standard Webhooks. */
        readonly snippets?: readonly Snippet[] | undefined
      }
    | undefined
}

/** @throws CallboardError `CONFIGURATION_INVALID` for a link or an image that a page may not have. */
export function assertBrand({ name, logo, home, support, docs, receiving }: DashboardBrand): void {
  if (name.trim() === '') throw invalid('name', 'must not be empty')
  if (logo !== undefined && !isPath(logo) && !/^data:image\//.test(logo))
    throw invalid('logo', 'must be a path such as /logo.svg, or a data:image/ URL')
  for (const [field, link] of Object.entries({ home, docs, 'receiving.guide': receiving?.guide }))
    if (link !== undefined && !isPath(link) && !/^https?:\/\//.test(link))
      throw invalid(field, 'must be an http: or https: URL, or a path such as /docs')
  if (support !== undefined && !isPath(support) && !/^(?:https?:\/\/|mailto:)/.test(support))
    throw invalid('support', 'must be an http:, https: or mailto: URL, or a path such as /support')
}

/** Whether a link stays on its site. Browsers read a backslash as `/`, and leave out tabs and line breaks. */
function isPath(link: string): boolean {
  return /^\/(?![\t\n\r]*[/\\])/.test(link)
}

function invalid(field: string, rule: string): CallboardError {
  return new CallboardError('CONFIGURATION_INVALID', `brand.${field} ${rule}.`)
}
