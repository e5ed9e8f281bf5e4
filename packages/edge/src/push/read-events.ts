/** One event of a stream. `data` is undefined if it is not JSON. */
export interface PushedEvent {
  type: string
  data: unknown
}

/** An event is at most this long, so that a broken stream cannot fill the memory. */
const longestEvent = 64 * 1024

/**
 * Reads server-sent events. `onChunk` is called for each chunk, also if it has only a comment.
 * @throws if an event is too long
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: () => void = () => {},
): AsyncGenerator<PushedEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    onChunk()
    const blocks = (rest + decoder.decode(chunk, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    if (rest.length > longestEvent) throw new Error('an event of the stream is too long')
    for (const block of blocks) {
      const event = eventOf(block)
      if (event) yield event
    }
  }
}

/** Returns undefined for a block without data, such as a comment. */
function eventOf(block: string): PushedEvent | undefined {
  let type = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    if (at <= 0) continue
    const value = line.slice(at + 1).replace(/^ /, '')
    if (line.slice(0, at) === 'event') type = value
    if (line.slice(0, at) === 'data') data.push(value)
  }
  return data.length > 0 ? { type, data: parsed(data.join('\n')) } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
