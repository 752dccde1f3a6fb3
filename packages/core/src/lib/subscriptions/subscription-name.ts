/** The fields of a subscription that name it. */
export interface Nameable {
  readonly description: string | undefined
  readonly externalRef: string | undefined
  readonly targetUrl: string
}

/**
 * The name by which people know a subscription: its description, otherwise the integration's own id for it, otherwise
 * the host and path of its target. Names are not unique: a list shows the target beside them.
 */
export function subscriptionName({ description, externalRef, targetUrl }: Nameable): string {
  return description ?? externalRef ?? targetName(targetUrl)
}

/** The host and path of a target. Leaves out the query, because some targets have a token in it. */
export function targetName(targetUrl: string): string {
  if (!URL.canParse(targetUrl)) return targetUrl
  const { host, pathname } = new URL(targetUrl)
  return pathname === '/' ? host : host + pathname
}
