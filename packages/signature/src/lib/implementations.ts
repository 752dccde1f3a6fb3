import { port as node } from './crypto-node.ts'
import { port as web } from './crypto-web.ts'
import { createSigning, type Signing, type SignRequest } from './sign.ts'
import { createVerifying, type VerifiedWebhook, type Verifying, type VerifyRequest } from './verify.ts'

/** One way to sign and verify, behind an asynchronous interface. The behaviour tests run on each implementation. */
export interface Implementation {
  readonly name: string
  readonly sign: (request: SignRequest) => Promise<string>
  readonly verify: (request: VerifyRequest) => Promise<VerifiedWebhook>
}

const onNode: Signing & Verifying = { ...createSigning(node), ...createVerifying(node) }
export const onWeb: Signing & Verifying = { ...createSigning(web), ...createVerifying(web) }

export const implementations: readonly Implementation[] = [
  { name: 'node:crypto', sign: onNode.sign, verify: (request) => onNode.verify(request) },
  {
    name: 'node:crypto, sync',
    sign: async (request) => onNode.signSync(request),
    verify: async (request) => onNode.verifySync(request),
  },
  { name: 'WebCrypto', sign: onWeb.sign, verify: (request) => onWeb.verify(request) },
]
