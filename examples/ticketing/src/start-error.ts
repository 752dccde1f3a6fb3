/** Why the platform cannot start, in words for whoever started it: printed without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
