import { jsonContent } from '../json-content.ts'
import { versionParameter } from './parameters.ts'
import type { Section } from './section.ts'

export const keyOperations: Section = ({ examples, versions }) => ({
  getMe: {
    summary: 'Check the key',
    description: 'Returns the account and the scopes of the key. Any valid key works.',
    tag: 'Key',
    success: {
      200: {
        description: 'The key is valid.',
        ...jsonContent('KeyInformation', { key: { summary: 'A key', value: examples.getMe } }),
      },
    },
    parameters: [versionParameter(versions)],
    problems: ['INVALID_QUERY'],
  },
})
