export type { CallboardEvent } from './lib/callboard-event.ts'
export type { HonoRequest, RequestWithBody, WebhookRequest } from './lib/request-body.ts'
export { type VerifyRequestOptions, verifyRequest } from './lib/verify-request.ts'
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './lib/webhook-verification-error.ts'
