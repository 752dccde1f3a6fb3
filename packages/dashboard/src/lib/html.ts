import { html as template } from 'htm/preact'
import type { ComponentChildren, VNode } from 'preact'

/** What a template may hold, and gives. */
export type Html = ComponentChildren

/** Templates instead of JSX: Node, Bun and Deno run the sources as they are. What is put into one is escaped by Preact. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode {
  const made = template(strings, ...values)
  if (Array.isArray(made)) throw new Error('a template has one element at its root')
  return made
}
