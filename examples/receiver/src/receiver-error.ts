/** An error that stops the receiver. The person who started the receiver sees the message without a stack trace. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError'
}
