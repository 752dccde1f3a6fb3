import type { Callboard } from '@callboard/core'
import { notFound } from './command-error.ts'

/** An event with the sample of its type, about a subject that does not exist. */
export interface SamplePublish {
  readonly type: string
  readonly data: object
  readonly subject: { readonly type: string; readonly id: string }
}

/** @throws CommandError if the catalogue lacks the type. */
export function samplePublish({ catalog }: Callboard, type: string): SamplePublish {
  const found = catalog.get(type)
  if (found === undefined)
    throw notFound(`Your catalogue has no event type ${type}. \`callboard catalog list\` lists the valid ones.`)
  return { type, data: found.sample, subject: { type: found.family, id: 'sample' } }
}
