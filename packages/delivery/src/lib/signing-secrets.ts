import type { SubscriptionRecord } from '@callboard/core'

/**
 * Opens the secrets that sign, newest first. A former one that cannot be opened is left out: it may have been replaced
 * because its encryption key was lost.
 */
export async function openSecrets(
  [current, ...former]: SubscriptionRecord['secrets'],
  open: (sealed: string) => Promise<string>,
  onError: (error: unknown) => void,
): Promise<string[]> {
  if (current === undefined) return []
  const left = former.map(({ sealed }) => open(sealed).catch(onError))
  return [await open(current.sealed), ...(await Promise.all(left)).flatMap((secret) => secret ?? [])]
}
