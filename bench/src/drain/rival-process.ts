// The worker of a rival, in a process of its own.
import { answer } from '../lib/helper.ts'
import { openAttempts } from './attempt-log.ts'
import type { ContenderOrder } from './contender.ts'
import { createDeliver } from './deliver-job.ts'
import { RIVALS } from './rivals.ts'

answer({
  start: ({ rival = '', postgresUrl, ca }: ContenderOrder) =>
    RIVALS[rival]?.work(postgresUrl, createDeliver(ca, openAttempts(postgresUrl))),
})
