import { html as template } from 'htm/preact'
import type { ComponentChildren, VNode } from 'preact'

/** Anything that a template can contain or produce. */
export type Html = ComponentChildren

/** Templates instead of JSX, so that Node, Bun and Deno run the sources unbuilt. Preact escapes all values. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode {
  const node = template(strings, ...values)
  if (Array.isArray(node)) throw new Error('a template must have exactly one root element')
  return node
}
