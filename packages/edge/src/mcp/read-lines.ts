const newline = 0x0a

/** A line grew beyond what its reader accepts. */
export class LineTooLong extends Error {}

/** The lines of a byte stream, without their newline. Throws `LineTooLong` beyond `maxBytes`, and what the stream throws. */
export async function* readLines(stream: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      if (heldBytes + end - start > maxBytes) throw new LineTooLong(`a line of more than ${maxBytes} bytes`)
      yield held.length > 0 ? Buffer.concat([...held, chunk.subarray(start, end)]) : chunk.subarray(start, end)
      held = []
      heldBytes = 0
      start = end + 1
    }
    if (start === chunk.length) continue
    held.push(chunk.subarray(start))
    heldBytes += chunk.length - start
    if (heldBytes > maxBytes) throw new LineTooLong(`a line of more than ${maxBytes} bytes`)
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}
