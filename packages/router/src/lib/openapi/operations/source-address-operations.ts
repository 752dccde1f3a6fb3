import { CACHED } from '../headers.ts'
import { jsonContent } from '../json-content.ts'
import type { Section } from './section.ts'

export const sourceAddressOperations: Section = ({ examples }) => ({
  listSourceAddresses: {
    summary: 'List source addresses',
    description:
      'Lists the addresses from which deliveries are sent, for firewalls that admit only known addresses. Verify the signature of each delivery as well. Keep the `ETag`, and send it as `If-None-Match` to learn whether the list has changed. Any valid key works.',
    success: {
      200: {
        description: 'The addresses.',
        headers: CACHED,
        ...jsonContent('SourceAddresses', { addresses: { summary: 'Addresses', value: examples.sourceAddresses } }),
      },
      304: { description: 'The list still has the given `ETag`.', headers: CACHED },
    },
    problems: ['SOURCE_ADDRESSES_NOT_SET'],
  },
})
