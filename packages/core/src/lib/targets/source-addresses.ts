import { CallboardError } from '../errors.ts'
import { parseIpBlock } from './ip-address.ts'

/**
 * Checks the CIDR blocks from which the platform says that deliveries are sent.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` naming the index of an invalid entry.
 */
export function assertSourceAddresses(cidrs: readonly string[]): void {
  if (cidrs.length === 0)
    throw invalid('sourceAddresses', 'a list with at least one CIDR block; leave it out if unknown')
  for (const [index, cidr] of cidrs.entries())
    if (parseIpBlock(cidr) === undefined)
      throw invalid(
        `sourceAddresses[${index}]`,
        'a CIDR block such as 192.0.2.0/24 or 2001:db8::/32, with zero host bits',
      )
}

const invalid = (option: string, wanted: string): CallboardError =>
  new CallboardError('CONFIGURATION_INVALID', `${option} must be ${wanted}.`)
