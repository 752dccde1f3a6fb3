/** Why the receiver cannot do its work, in words for whoever started it: printed without a stack trace. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError'
}
