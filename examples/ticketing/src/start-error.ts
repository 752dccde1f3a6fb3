/** An error that prevents the start. The person who started the platform sees the message without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
