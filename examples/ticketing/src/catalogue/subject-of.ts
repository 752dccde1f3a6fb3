import * as z from 'zod'

const entity = z.looseObject({ id: z.string() })

/**
 * Returns the subject of an event. In this catalogue, the data of every type is one object under one key: the key is
 * the subject's type, and the object's `id` is the subject's id. Undefined for other data.
 */
export function subjectOf(data: object): { type: string; id: string } | undefined {
  const [[type, value] = ['', undefined]] = Object.entries(data)
  const parsed = entity.safeParse(value)
  return parsed.success ? { type, id: parsed.data.id } : undefined
}
