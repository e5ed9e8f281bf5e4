import type { Readable, Writable } from 'node:stream'
import { HiddenSecrets } from './hidden-secrets.ts'

/** Maximum that one server process may add to the log in a second, in bytes. Includes prefixes and escapes. */
const maxBytesPerSecond = 64 << 10
/** Maximum length of a line in the log, in bytes before escaping. The rest of the line is cut. */
const maxLineBytes = 4096
/** Maximum number of bytes that may wait to be written to the log. Above this limit, new lines are dropped. */
const maxWaitingBytes = 1 << 20
const newline = 10

/**
 * Copies the standard error of a tool server to the standard error of the edge, line by line. The edge does not trust this
 * text. Each line begins with `[<server>]`, to distinguish it from the edge's own log lines. Control characters are escaped,
 * because they could control a terminal. Long lines are cut. Lines above the limit per second are dropped and counted.
 * Secrets of the server are replaced by `[hidden]`.
 */
export function relayStderr(from: Readable, to: Writable, server: string, secrets: readonly string[] = []): void {
  const lines = new LineRelay(to, server, new HiddenSecrets(secrets))
  from.on('data', (chunk: Buffer) => lines.take(chunk))
  from.once('close', () => lines.end())
}

class LineRelay {
  private readonly to: Writable
  private readonly server: string
  private readonly hidden: HiddenSecrets
  private readonly line = Buffer.alloc(maxLineBytes)
  private lineBytes = 0
  private spentBytes = 0
  private droppedLines = 0
  private second: NodeJS.Timeout | null = null

  constructor(to: Writable, server: string, hidden: HiddenSecrets) {
    this.to = to
    this.server = server
    this.hidden = hidden
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
  }

  private endLine(): void {
    const { lineBytes } = this
    this.lineBytes = 0
    this.second ??= setTimeout(() => this.endSecond(), 1000).unref()
    if (this.spentBytes >= maxBytesPerSecond || this.to.writableLength >= maxWaitingBytes) {
      this.droppedLines++
      return
    }
    const isCut = lineBytes > maxLineBytes
    const line = this.line.toString('utf8', 0, Math.min(lineBytes, maxLineBytes)).replace(/\r$/, '')
    const text = escapeControls(this.hidden.in(line, isCut))
    const cut = isCut ? ` [${lineBytes - maxLineBytes} bytes cut]` : ''
    this.spentBytes += this.write(`${text}${cut}`)
  }

  private endSecond(): void {
    if (this.second) clearTimeout(this.second)
    if (this.droppedLines > 0) this.write(`[${this.droppedLines} lines dropped: too much on standard error]`)
    this.second = null
    this.spentBytes = 0
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
