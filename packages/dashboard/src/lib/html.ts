import { html as template } from 'htm/preact'
import type { ComponentChildren, VNode } from 'preact'

/** Anything that a template can contain or produce. */
export type Html = ComponentChildren

/**
 * Renders a template with Preact, which escapes all values. Unlike JSX, templates run in Node, Bun and Deno without a
 * build.
 */
export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode {
  const node = template(strings, ...values)
  if (Array.isArray(node)) throw new Error('a template must have exactly one root element')
  return node
}
