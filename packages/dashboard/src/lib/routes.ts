import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { listAuditTrail } from './pages/audit/list-audit-trail.ts'
import { listDeliveries } from './pages/deliveries/list-deliveries.ts'
import { resendDelivery } from './pages/deliveries/resend-delivery.ts'
import { chooseResend, resendFailed } from './pages/deliveries/resend-failed.ts'
import { showDelivery } from './pages/deliveries/show-delivery.ts'
import { listEvents } from './pages/events/list-events.ts'
import { showEvent } from './pages/events/show-event.ts'
import { issueKey } from './pages/keys/issue-key.ts'
import { newKey } from './pages/keys/key-form.ts'
import { listKeys } from './pages/keys/list-keys.ts'
import { moveKey } from './pages/keys/move-key.ts'
import { revokeKey } from './pages/keys/revoke-key.ts'
import { rotateKey } from './pages/keys/rotate-key.ts'
import { showKey } from './pages/keys/show-key.ts'
import { showOverview } from './pages/overview/show-overview.ts'
import { checkTarget } from './pages/subscriptions/check-target.ts'
import { createSubscription, newSubscription } from './pages/subscriptions/create-subscription.ts'
import { changeSubscription, editSubscription } from './pages/subscriptions/edit-subscription.ts'
import { listSubscriptions } from './pages/subscriptions/list-subscriptions.ts'
import { rotateSecret } from './pages/subscriptions/rotate-secret.ts'
import { newTest, sendTest } from './pages/subscriptions/send-test.ts'
import { showSubscription } from './pages/subscriptions/show-subscription.ts'
import {
  backToSubscription,
  disableSubscription,
  enableSubscription,
  removeSubscription,
} from './pages/subscriptions/switch-subscription.ts'
import type { DashboardPermission } from './viewer.ts'

export interface Route {
  readonly method: 'GET' | 'POST'
  /** The path, relative to the base path. `:name` matches one segment. */
  readonly path: string
  /** The permission that the viewer needs. */
  readonly needs: DashboardPermission
  readonly answer: (call: Call) => Promise<Answer>
}

/** The routes of all pages and writes. */
// biome-ignore format: a table
export const routes: readonly Route[] = [
  { method: 'GET', path: '/overview', needs: 'webhooks.read', answer: showOverview },
  { method: 'GET', path: '/subscriptions', needs: 'webhooks.read', answer: listSubscriptions },
  { method: 'GET', path: '/subscriptions/new', needs: 'webhooks.write', answer: newSubscription },
  { method: 'POST', path: '/subscriptions/new', needs: 'webhooks.write', answer: createSubscription },
  { method: 'POST', path: '/subscriptions/check-target', needs: 'webhooks.write', answer: checkTarget },
  { method: 'GET', path: '/subscriptions/:id', needs: 'webhooks.read', answer: showSubscription },
  { method: 'GET', path: '/subscriptions/:id/edit', needs: 'webhooks.write', answer: editSubscription },
  { method: 'POST', path: '/subscriptions/:id/edit', needs: 'webhooks.write', answer: changeSubscription },
  { method: 'POST', path: '/subscriptions/:id/disable', needs: 'webhooks.write', answer: disableSubscription },
  { method: 'POST', path: '/subscriptions/:id/enable', needs: 'webhooks.write', answer: enableSubscription },
  { method: 'POST', path: '/subscriptions/:id/remove', needs: 'webhooks.write', answer: removeSubscription },
  { method: 'GET', path: '/subscriptions/:id/rotate', needs: 'webhooks.read', answer: backToSubscription },
  { method: 'POST', path: '/subscriptions/:id/rotate', needs: 'webhooks.write', answer: rotateSecret },
  { method: 'GET', path: '/subscriptions/:id/test', needs: 'webhooks.write', answer: newTest },
  { method: 'POST', path: '/subscriptions/:id/test', needs: 'webhooks.write', answer: sendTest },
  { method: 'GET', path: '/subscriptions/:id/deliveries', needs: 'webhooks.read', answer: listDeliveries },
  { method: 'GET', path: '/subscriptions/:id/deliveries/:eventId', needs: 'webhooks.read', answer: showDelivery },
  { method: 'POST', path: '/subscriptions/:id/deliveries/:eventId/resend', needs: 'webhooks.write', answer: resendDelivery },
  { method: 'GET', path: '/subscriptions/:id/resend', needs: 'webhooks.write', answer: chooseResend },
  { method: 'POST', path: '/subscriptions/:id/resend', needs: 'webhooks.write', answer: resendFailed },
  { method: 'GET', path: '/events', needs: 'events.read', answer: listEvents },
  { method: 'GET', path: '/events/:id', needs: 'events.read', answer: showEvent },
  { method: 'GET', path: '/keys', needs: 'keys.read', answer: listKeys },
  { method: 'POST', path: '/keys/new', needs: 'keys.write', answer: issueKey },
  { method: 'GET', path: '/keys/new', needs: 'keys.write', answer: newKey },
  { method: 'GET', path: '/keys/:id', needs: 'keys.read', answer: showKey },
  { method: 'POST', path: '/keys/:id/rotate', needs: 'keys.write', answer: rotateKey },
  { method: 'POST', path: '/keys/:id/version', needs: 'keys.write', answer: moveKey },
  { method: 'POST', path: '/keys/:id/revoke', needs: 'keys.write', answer: revokeKey },
  { method: 'GET', path: '/audit', needs: 'audit.read', answer: listAuditTrail },
]
