import { SCOPES } from '@callboard/core'
import * as z from 'zod'

/** The response of `GET /v1/me`. */
export interface KeyInformation {
  entity: { id: string; name: string }
  apiKeyId: string
  scopes: readonly string[]
}

export const account: z.ZodType<KeyInformation['entity']> = z
  .strictObject({
    id: z.string().describe('Identifier of the account.'),
    name: z.string().describe('Display name of the account.'),
  })
  .describe('An account of the platform.')

export const keyInformation: z.ZodType<KeyInformation> = z
  .strictObject({
    entity: account,
    apiKeyId: z.string().describe('Identifier of the key that was used.'),
    scopes: z.array(z.string().meta({ examples: [...SCOPES] })).describe('Scopes of the key.'),
  })
  .describe('An API key and its account.')

/** The document's schemas of this section. */
export const keySchemas: Readonly<Record<string, z.ZodType>> = { KeyInformation: keyInformation, Account: account }
