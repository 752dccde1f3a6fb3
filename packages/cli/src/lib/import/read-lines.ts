/** The longest line, in characters. The largest valid subscription takes a tenth of it. */
const LINE_LENGTH = 131_072

export interface Line {
  /** 1 for the first line of the file. */
  readonly number: number
  /** Undefined for a line that is too long. Its text is not kept, so that memory stays bounded. */
  readonly text: string | undefined
}

/** Splits a stream of UTF-8 into lines, and leaves out empty ones. A byte order mark is ignored. */
export async function* readLines(stream: AsyncIterable<string | Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let number = 1
  let rest = ''
  let tooLong = false
  const end = (text: string): Line | undefined => {
    const line = { number: number++, text: tooLong || text.length > LINE_LENGTH ? undefined : text }
    tooLong = false
    return line.text?.trim() === '' ? undefined : line
  }
  for await (const chunk of stream) {
    const [first = '', ...others] = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split(
      '\n',
    )
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
  const last = end(rest + decoder.decode())
  if (last !== undefined) yield last
}
