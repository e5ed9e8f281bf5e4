import type { Readable, Writable } from 'node:stream'
import { HiddenSecrets } from './hidden-secrets.ts'
import { KeyLines } from './key-lines.ts'

/** Maximum that one server process may add to the log in a second, in bytes. Includes prefixes and escapes. */
const maxBytesPerSecond = 64 << 10
/** Maximum length of a line in the log, in bytes before escaping. The rest of the line is cut. */
const maxLineBytes = 4096
/** Maximum time that the content rules may take for the lines of one server process in a second. */
const maxMaskMsPerSecond = 50
/** Maximum number of bytes that may wait to be written to the log. Above this limit, new lines are dropped. */
const maxWaitingBytes = 1 << 20
const newline = 10

/**
 * Copies the standard error of a tool server to the standard error of the edge, line by line. The edge does not trust this
 * text. Each line begins with `[<server>]`, to distinguish it from the edge's own log lines. Control characters are escaped,
 * because they could control a terminal. Long lines are cut. Lines above the limits per second are dropped and counted.
 * Secrets of the server are replaced by `[hidden]`. `mask` replaces the matches of content rules in a line. If it hides private keys, the lines of
 * such a key are left out.
 */
export function relayStderr(
  from: Readable,
  to: Writable,
  server: string,
  { secrets = [], mask = unmasked }: { secrets?: readonly string[]; mask?: LineMask | undefined } = {},
): void {
  const hidden = new HiddenSecrets(secrets)
  const lines = new LineRelay(to, server, {
    shown: (line, isCut) => mask(hidden.in(line, isCut), isCut),
    hidesKeys: () => mask(aKey, false) !== aKey,
  })
  from.on('data', (chunk: Buffer) => lines.take(chunk))
  from.once('close', () => lines.end())
}

/** Returns a line for the log without what the log must not have. `isCut` is true if the line was longer. */
export type LineMask = (line: string, isCut: boolean) => string

interface Masks {
  shown(line: string, isCut: boolean): string
  /** Whether private keys in one line are hidden. */
  hidesKeys(): boolean
}

const aKey = `-----BEGIN PRIVATE KEY-----${'A'.repeat(64)}-----END PRIVATE KEY-----`
/** Number of bytes that are kept from the end of a cut line. A private key may begin there. */
const keptEnd = 64

const none = Buffer.alloc(0)

const unmasked: LineMask = (line) => line

class LineRelay {
  private readonly to: Writable
  private readonly server: string
  private readonly masks: Masks
  private readonly keyLines = new KeyLines()
  private isInKey = false
  private readonly line = Buffer.alloc(maxLineBytes)
  /** The end of a line that is cut. */
  private lineEnd: Buffer = none
  private lineBytes = 0
  private spentBytes = 0
  private spentMs = 0
  private droppedLines = 0
  private second: NodeJS.Timeout | null = null

  constructor(to: Writable, server: string, masks: Masks) {
    this.to = to
    this.server = server
    this.masks = masks
  }

  take(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.append(chunk.subarray(start, end))
      this.endLine()
      start = end + 1
    }
    this.append(chunk.subarray(start))
  }

  end(): void {
    if (this.lineBytes > 0) this.endLine()
    this.endSecond()
  }

  private append(bytes: Buffer): void {
    if (this.lineBytes < maxLineBytes) bytes.copy(this.line, this.lineBytes)
    this.lineBytes += bytes.length
    if (this.lineBytes > maxLineBytes)
      this.lineEnd = Buffer.concat([this.lineEnd, bytes.subarray(-keptEnd)]).subarray(-keptEnd)
  }

  private endLine(): void {
    const { lineBytes, lineEnd } = this
    this.lineBytes = 0
    this.lineEnd = none
    const bytes = this.line.subarray(0, Math.min(lineBytes, maxLineBytes))
    const startMs = performance.now()
    const isOfKey = this.isOfKey(bytes, lineEnd)
    this.spentMs += performance.now() - startMs
    this.second ??= setTimeout(() => this.endSecond(), 1000).unref()
    const isSpent = this.spentBytes >= maxBytesPerSecond || this.spentMs >= maxMaskMsPerSecond
    if (isSpent || this.to.writableLength >= maxWaitingBytes) {
      this.droppedLines++
      return
    }
    const isCut = lineBytes > maxLineBytes
    const line = bytes.toString('utf8').replace(/\r$/, '')
    const maskMs = performance.now()
    const wasInKey = this.isInKey
    this.isInKey = isOfKey && this.masks.hidesKeys()
    const text = this.isInKey ? '[hidden: lines of a private key]' : escapeControls(this.masks.shown(line, isCut))
    this.spentMs += performance.now() - maskMs
    if (wasInKey && this.isInKey) return
    const cut = isCut ? ` [${lineBytes - maxLineBytes} bytes cut]` : ''
    this.spentBytes += this.write(`${text}${cut}`)
  }

  /** Whether a line belongs to a key that began in an earlier line. Looks at every line, also at those that are dropped. */
  private isOfKey(line: Buffer, end: Buffer): boolean {
    const mayBegin = line.includes('PRIVATE KEY') || end.includes('PRIVATE KEY')
    return (this.keyLines.isOpen || mayBegin) && this.keyLines.take(line.toString('utf8'), end.toString('utf8'))
  }

  private endSecond(): void {
    if (this.second) clearTimeout(this.second)
    if (this.droppedLines > 0) this.write(`[${this.droppedLines} lines dropped: too much on standard error]`)
    this.second = null
    this.spentBytes = 0
    this.spentMs = 0
    this.droppedLines = 0
  }

  /** Writes a line. @returns the number of bytes written */
  private write(text: string): number {
    const line = `[${this.server}] ${text}\n`
    this.to.write(line)
    return Buffer.byteLength(line)
  }
}

/** Replaces control and format characters by `\u{…}`, because they can move the cursor or reorder text. Keeps tabs. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\t' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
