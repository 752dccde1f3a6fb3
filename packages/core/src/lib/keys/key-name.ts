/** The fields of a key that name it. */
export interface NameableKey {
  readonly name: string
  readonly lastCharacters: string | undefined
}

/** The name of a key, with the last characters of its token if they are known: `Zapier …x7Qp`. */
export function keyName({ name, lastCharacters }: NameableKey): string {
  return lastCharacters === undefined ? name : `${name} …${lastCharacters}`
}
