import * as z from 'zod'

const TEXT = 'must be text of 1 to 255 characters'

/** A string that every database and automation tool can handle. */
export const text = z
  .string(TEXT)
  .min(1, TEXT)
  .max(255, TEXT)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters or broken Unicode')

/** `amount` is in minor units of the currency, such as cents. */
export const money = z.strictObject({
  amount: z.int(),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency code such as EUR'),
})

export type Money = z.output<typeof money>

export const timestamp = z.iso.datetime()

/** The event that tickets are sold for, such as a concert. Not an event of the API. */
export const happening = z.strictObject({ id: text, name: text })

/** A person. `entity_id` stays when the personal data is removed. */
export const person = z.strictObject({ entity_id: text, name: text.optional(), email: z.email().max(255).optional() })
