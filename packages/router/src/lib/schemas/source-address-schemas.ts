import * as z from 'zod'

/** The response of `GET /v1/webhooks/source-addresses`. */
export interface SourceAddressesBody {
  data: readonly string[]
}

const sourceAddresses: z.ZodType<SourceAddressesBody> = z
  .strictObject({
    data: z
      .array(z.string().meta({ examples: ['198.51.100.0/24', '2001:db8:1::/48'] }))
      .min(1)
      .describe('CIDR blocks of IPv4 and IPv6 addresses.'),
  })
  .describe('The addresses from which deliveries are sent.')

/** The document's schemas of this section. */
export const sourceAddressSchemas: Readonly<Record<string, z.ZodType>> = { SourceAddresses: sourceAddresses }
