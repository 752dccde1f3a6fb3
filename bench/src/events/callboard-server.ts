import { createRouter } from '@callboard/router'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { answer } from '../lib/helper.ts'
import { listen } from '../lib/http-server.ts'

/** How each of the two servers is started. It answers with its port. */
export type ServerReplies = {
  serve(postgresUrl: string): Promise<number>
}

const replies: ServerReplies = {
  serve: (postgresUrl) => listen(createRouter(openBenchCallboard(postgresUrl).callboard).fetch),
}
answer(replies)
