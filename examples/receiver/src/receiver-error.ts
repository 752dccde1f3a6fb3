/** An error that stops the receiver. Its message is for the person who started it, without a stack trace. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError'
}
