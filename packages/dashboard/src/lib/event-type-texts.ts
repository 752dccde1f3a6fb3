import type { EventType } from '@callboard/core'

/** The texts of an event type in one language. A missing text is taken from the catalogue. */
export interface EventTypeTexts {
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** The heading above the types of the same family. The first of them that has one decides. */
  readonly family?: string | undefined
}

/** Returns the texts for a `descriptionKey`. A string is a description. */
export type Describe = (descriptionKey: string) => string | EventTypeTexts | undefined

export function textsOf(
  { title, description, descriptionKey }: EventType,
  describe: Describe | undefined,
): EventTypeTexts {
  const given = describe?.(descriptionKey)
  const texts: EventTypeTexts = typeof given === 'string' ? { description: given } : (given ?? {})
  return { title: texts.title ?? title, description: texts.description ?? description, family: texts.family }
}
