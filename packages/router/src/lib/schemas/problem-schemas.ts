import * as z from 'zod'
import { type ProblemBody, WIRE_CODES } from '../problem.ts'
import { timestamp } from './fields.ts'

const issue = z.strictObject({
  path: z.string().describe('Dot-separated path of the field; empty for the whole body.'),
  message: z.string().describe('Says what is wrong with the field and what to do.'),
})

export const problemBody: z.ZodType<ProblemBody> = z
  .strictObject({
    statusCode: z.int().describe('The HTTP status.'),
    message: z.string().describe('Says what is wrong and what to do, in at most 200 characters.'),
    timestamp,
    path: z.string().describe('The requested path, without its query.'),
    requestId: z.string().describe('Identifier of the request, as in `X-Request-Id`. Quote it to support.'),
    errorCode: z.enum(WIRE_CODES).describe('The kind of error, for programs.'),
    subscriptionId: z
      .string()
      .optional()
      .describe('Only with `SUBSCRIPTION_EXISTS`: identifier of the subscription that exists already.'),
    issues: z.array(issue).optional().describe('Only in a 400: one entry for each mistake.'),
  })
  .describe('The body of every error.')

export const problemSchemas: Readonly<Record<string, z.ZodType>> = { Problem: problemBody }
