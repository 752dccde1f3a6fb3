/** The longest line, in bytes. The largest valid subscription takes a tenth of it. */
const LINE_LENGTH = 131_072

export interface Line {
  /** 1 for the first line of the file. */
  readonly number: number
  /** In UTF-8, unless the line is broken. Undefined for a line that is too long. Its text is not kept, so that memory stays bounded. */
  readonly text: Uint8Array | undefined
}

/** Splits a stream into lines, and leaves out empty ones. */
export async function* readLines(stream: AsyncIterable<string | Uint8Array>): AsyncGenerator<Line> {
  let number = 1
  let rest = ''
  let tooLong = false
  const end = (text: string): Line | undefined => {
    const isEmpty = !tooLong && text.trim() === ''
    const line = {
      number: number++,
      text: tooLong || text.length > LINE_LENGTH ? undefined : Buffer.from(text, 'latin1'),
    }
    tooLong = false
    return isEmpty ? undefined : line
  }
  for await (const chunk of stream) {
    // One character stands for one byte, so that a chunk may end within a character of UTF-8.
    const [first = '', ...others] = Buffer.from(chunk).toString('latin1').split('\n')
    rest += first
    for (const next of others) {
      const line = end(rest)
      if (line !== undefined) yield line
      rest = next
    }
    if (rest.length > LINE_LENGTH) {
      tooLong = true
      rest = ''
    }
  }
  const last = end(rest)
  if (last !== undefined) yield last
}
