import { jsonContent } from '../json-content.ts'
import type { Section } from './section.ts'

export const keyOperations: Section = ({ examples }) => ({
  getMe: {
    summary: 'Check the key',
    description: 'Returns the account and the scopes of the key. Any valid key works.',
    success: {
      200: {
        description: 'The key is valid.',
        ...jsonContent('KeyInformation', { key: { summary: 'A key', value: examples.getMe } }),
      },
    },
  },
})
