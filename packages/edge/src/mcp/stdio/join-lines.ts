import { GatheredBytes } from '../../gathered-bytes.ts'
import { readEnvelopes } from '../../json/read-envelopes.ts'
import { LostText } from '../messages/lost-text.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import { readLines } from './read-lines.ts'

/**
 * Reads the texts of a server, one per line. Joins the lines of an answer that the server formats over several lines, although MCP does not
 * allow that. The joined text is one line.
 */
export async function* readTexts(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  reservation?: MemoryReservation,
): AsyncGenerator<string | LostText> {
  const joined = new JoinedLines(maxBytes, reservation)
  const shared = { resize: (bytes: number) => reservation?.resize(bytes + joined.length) !== false }
  for await (const line of readLines(stream, maxBytes, { reservation: shared })) {
    if (line instanceof LostText) yield* [...joined.end(), line]
    else yield* joined.add(line)
  }
  yield* joined.end()
}

/**
 * Joins the lines of an object. Begins at a line that opens an object without an id, and ends where the object ends. Gives up at a line that cannot be
 * a part of the object, such as a complete message or a line of a log. Then only the first line is returned. It is no message, so the edge drops it.
 * The same happens to an object that is no answer, because servers also print requests for people.
 */
class JoinedLines {
  private readonly held = new GatheredBytes()
  private readonly maxBytes: number
  private readonly reservation: MemoryReservation | undefined
  private first = ''
  private depth = 0
  private lastByte = 0

  constructor(maxBytes: number, reservation: MemoryReservation | undefined) {
    this.maxBytes = maxBytes
    this.reservation = reservation
  }

  /** The number of bytes that are held. */
  get length(): number {
    return this.held.length
  }

  /** Returns the texts that are complete after this line. */
  add(line: Buffer): string[] {
    const text = withoutSpaces(line)
    if (this.length === 0) return this.begin(text) ? [] : [line.toString('utf8')]
    if (text.length === 0) return []
    const depth = this.mayContinue(text) ? depthAfter(text, this.depth) : null
    if (depth === null || !this.hold(text)) return [...this.end(), ...this.add(line)]
    this.depth = depth
    return depth > 0 ? [] : [this.takeAnswer()]
  }

  /** Gives up joining: returns the first held line and drops the other ones. Returns nothing if no line is held. */
  end(): string[] {
    if (this.length === 0) return []
    this.held.take()
    this.reservation?.resize(0)
    return [this.first]
  }

  private begin(text: Buffer): boolean {
    if (text[0] !== byteOf('{') || text.at(-1) === byteOf('}')) return false
    const depth = depthAfter(text, 0)
    if (depth === null) return false
    // A text with an id needs no other line: its request gets an error that says what is wrong with the line.
    const first = text.toString('utf8')
    if (readEnvelopes(first).found[0]?.id !== null || !this.hold(text)) return false
    this.first = first
    this.depth = depth
    return true
  }

  private mayContinue(text: Buffer): boolean {
    if (text[0] !== byteOf('{') && text[0] !== byteOf('[')) return true
    const isComplete = text.at(-1) === byteOf('}') || text.at(-1) === byteOf(']')
    return beforeValue.has(this.lastByte) && !(isComplete && text.includes('"jsonrpc"'))
  }

  private hold(text: Buffer): boolean {
    const length = this.length + 1 + text.length
    if (length > this.maxBytes || this.reservation?.resize(length) === false) return false
    if (this.length > 0) this.held.add(space)
    this.held.add(text)
    this.lastByte = text.at(-1) ?? 0
    return true
  }

  private takeAnswer(): string {
    const text = this.held.take().toString('utf8')
    this.reservation?.resize(0)
    const [envelope] = readEnvelopes(text).found
    return envelope?.hasOutcome && !envelope.hasMethod && envelope.id !== null ? text : this.first
  }
}

const byteOf = (character: string) => character.charCodeAt(0)
const bytesOf = (characters: string) => new Set(Buffer.from(characters))
const space = Buffer.from(' ')
const spaces = bytesOf(' \t\r')
/** What is before an object or a list in another one. */
const beforeValue = bytesOf('[,:')
/** All characters of JSON outside strings. */
const outsideStrings = bytesOf(' \t\r{}[],:0123456789+-.Eaeflnrstu')

function withoutSpaces(line: Buffer): Buffer {
  let [start, end] = [0, line.length]
  while (start < end && spaces.has(line[start] as number)) start++
  while (end > start && spaces.has(line[end - 1] as number)) end--
  return line.subarray(start, end)
}

/**
 * Returns how many brackets are open after a line of JSON, if `depth` brackets are open before it. Returns null for a line that is no part of the
 * value: it ends in a string, has characters that JSON does not have there, or goes on behind the value.
 */
function depthAfter(line: Buffer, depth: number): number | null {
  let now = depth
  let isString = false
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] as number
    if (isString) {
      if (byte === byteOf('\\')) at++
      else isString = byte !== byteOf('"')
    } else if (now === 0 && at > 0) return null
    else if (byte === byteOf('"')) isString = true
    else if (!outsideStrings.has(byte)) return null
    else if (byte === byteOf('{') || byte === byteOf('[')) now++
    else if (byte === byteOf('}') || byte === byteOf(']')) now--
  }
  return isString ? null : now
}
