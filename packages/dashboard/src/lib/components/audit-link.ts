import type { Call } from '../call.ts'
import { html } from '../html.ts'
import type { Fact } from './facts.ts'

/** A link to the audit trail of a key or a subscription; undefined if the viewer may not see the audit trail. */
export function auditLink(call: Call, id: string): Fact | undefined {
  if (!call.may('audit.read')) return undefined
  const { changes, viewInAuditTrail } = call.texts.common
  return [changes, html`<a href=${call.href('/audit', { of: id })}>${viewInAuditTrail}</a>`]
}
