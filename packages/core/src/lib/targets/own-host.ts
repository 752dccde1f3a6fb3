import { CallboardError } from '../errors.ts'
import { type AddressPolicy, isExactHost } from './address-policy.ts'
import { hostName } from './target-host.ts'

/**
 * Returns the policy with the host of `publicUrl` added to `refusedHostNames`, so that no customer makes the platform
 * call itself. Only this exact host is refused, with or without a trailing dot; its subdomains may belong to customers.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` if `publicUrl` is given but is not an https: URL.
 */
export function refuseOwnHost(policy: AddressPolicy, publicUrl: string | undefined): AddressPolicy {
  if (publicUrl === undefined) return policy
  return { ...policy, refusedHostNames: [...(policy.refusedHostNames ?? []), hostOf(publicUrl)] }
}

function hostOf(publicUrl: string): string {
  if (URL.canParse(publicUrl)) {
    const url = new URL(publicUrl)
    const { protocol, username, password } = url
    const host = hostName(url)
    if (protocol === 'https:' && username === '' && password === '' && isExactHost(host)) return host
  }
  throw new CallboardError(
    'CONFIGURATION_INVALID',
    'publicUrl must be the https: URL at which your customers reach the API, such as https://api.example.com.',
  )
}
