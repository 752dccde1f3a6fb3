/** An error that prevents the start. Its message is for the person who started the platform, without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
