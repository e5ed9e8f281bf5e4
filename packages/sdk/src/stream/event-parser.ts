/** A block of a stream of server-sent events. A block without `data` only sets the id to continue from. */
export interface ParsedBlock {
  id?: string
  event?: string
  data?: string
}

const mostCharacters = 4 * 1024 * 1024

/**
 * Parses server-sent events as the HTML standard defines them. Unlike common libraries, it also returns blocks that have an id and no data, because
 * the control plane sends them so that quiet streams can continue.
 */
export class EventParser {
  private rest = ''
  private isFirst = true
  private block: ParsedBlock = {}

  /** Takes the next piece of the stream. Returns the blocks that end in it. @throws RangeError for a block that is too long */
  feed(text: string): ParsedBlock[] {
    const blocks: ParsedBlock[] = []
    this.rest += this.isFirst ? text.replace(/^\uFEFF/, '') : text
    this.isFirst &&= text === ''
    // A carriage return at the end may be the first half of a line end.
    const lines = this.rest.split(/\r\n|\n|\r(?!$)/)
    this.rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line !== '') this.readLine(line)
      else if (this.block.id !== undefined || this.block.data !== undefined) blocks.push(this.block)
      if (line === '') this.block = {}
    }
    if (this.rest.length + (this.block.data?.length ?? 0) > mostCharacters)
      throw new RangeError('an event of the stream is too long')
    return blocks
  }

  private readLine(line: string): void {
    const at = line.indexOf(':')
    const field = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + (line[at + 1] === ' ' ? 2 : 1))
    if (field === 'data') this.block.data = this.block.data === undefined ? value : `${this.block.data}\n${value}`
    else if (field === 'event') this.block.event = value
    else if (field === 'id' && !value.includes('\0')) this.block.id = value
  }
}
