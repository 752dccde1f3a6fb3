import * as z from 'zod'

const entity = z.looseObject({ id: z.string() })

/**
 * What an event is about. Every type of this catalogue holds one object under one key: the key is the subject's type,
 * the object's `id` its id. Undefined for data that is not like that, which its schema refuses anyway.
 */
export function subjectOf(data: object): { type: string; id: string } | undefined {
  const [[type, value] = ['', undefined]] = Object.entries(data)
  const parsed = entity.safeParse(value)
  return parsed.success ? { type, id: parsed.data.id } : undefined
}
