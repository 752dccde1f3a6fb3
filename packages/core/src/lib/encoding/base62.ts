/**
 * The characters are in ascending code-unit order, so strings of equal length sort like the numbers that they encode.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Encodes a non-negative number in exactly `length` base62 characters, most significant first. */
export function encodeBase62(value: bigint | number, length: number): string {
  let text = ''
  if (typeof value === 'number') {
    for (let rest = value; text.length < length; rest = Math.floor(rest / 62))
      text = `${ALPHABET.charAt(rest % 62)}${text}`
    return text
  }
  for (let rest = value; text.length < length; rest /= 62n) text = `${ALPHABET.charAt(Number(rest % 62n))}${text}`
  return text
}
