import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { BENCH_OPTIONS } from '../lib/bench-callboard.ts'
import { answer } from '../lib/helper.ts'
import { listen } from '../lib/http-server.ts'
import { ACCOUNT, SCOPES } from './account.ts'

const replies = {
  async serve(): Promise<{ readonly port: number; readonly token: string }> {
    const callboard = createCallboard({ ...BENCH_OPTIONS, store: createMemoryStore() })
    await callboard.accounts.create(ACCOUNT)
    const { token } = await callboard.keys.issue({ accountId: ACCOUNT.id, name: 'bench', scopes: SCOPES })
    return { port: await listen(createRouter(callboard).fetch), token }
  },
}
export type CallboardReplies = typeof replies

answer(replies)
