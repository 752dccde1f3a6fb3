export type {
  AnyEventTypes,
  AnyVersion,
  CallboardEvent,
  EventName,
  EventSample,
  WithPersonalData,
} from './lib/callboard-event.ts'
export type { RawBody } from './lib/raw-body.ts'
export type { Redacted } from './lib/redacted.ts'
export { generateSecret, isSecret } from './lib/secret.ts'
export type { SignRequest } from './lib/sign.ts'
export { sign, signSync, verify, verifySync } from './lib/signature.ts'
export type { ParsedBody, VerifiedWebhook, VerifyRequest } from './lib/verify.ts'
export type { WebhookHeaders } from './lib/webhook-headers.ts'
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './lib/webhook-verification-error.ts'
