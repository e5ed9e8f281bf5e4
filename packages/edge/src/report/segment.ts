import { type FileHandle, open } from 'node:fs/promises'

/**
 * One append-only file of the spool. Bytes below `size` are whole lines; only those count. The file is held open only while
 * it is appended to, however many wait to be sent.
 */
export class Segment {
  readonly path: string
  readonly windowMs: number
  readonly number: number
  size: number
  /** Bytes of it that were sent. */
  sent = 0
  /** Something could not be undone in it: nothing more is appended. */
  closed = false
  private file: FileHandle | null = null
  private dirty = false

  private constructor(path: string, windowMs: number, number: number, size: number) {
    this.path = path
    this.windowMs = windowMs
    this.number = number
    this.size = size
  }

  /** Opens or makes a segment; a last line that was cut off by the end of a process or of power is taken away. */
  static async open(path: string, windowMs: number, number: number): Promise<Segment> {
    await using file = await open(path, 'a+', 0o600)
    const { size } = await file.stat()
    const whole = await wholeLines(file, size)
    if (whole < size) await file.truncate(whole)
    return new Segment(path, windowMs, number, whole)
  }

  /** Appends all of it or nothing, and forces it to the disk where told. @throws when the disk does not take it */
  async append(bytes: Buffer, forced: boolean): Promise<void> {
    this.file ??= await open(this.path, 'a')
    const { file } = this
    this.dirty = true
    try {
      for (let written = 0; written < bytes.length; ) {
        written += (await file.write(bytes, written, bytes.length - written)).bytesWritten
      }
      if (forced) await this.sync()
    } catch (error) {
      await file.truncate(this.size).catch(() => {
        this.closed = true
      })
      throw error
    }
    this.size += bytes.length
  }

  /** Forces what was appended to the disk. */
  async sync(): Promise<void> {
    if (!this.dirty) return
    this.dirty = false
    try {
      await this.file?.datasync()
    } catch (error) {
      this.dirty = true
      throw error
    }
  }

  /** The whole lines from `from` on, at most `limit` bytes of them but at least one line. */
  async read(from: number, limit: number): Promise<Buffer> {
    const length = Math.min(this.size - from, limit)
    await using file = await open(this.path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
    const end = buffer.subarray(0, bytesRead).lastIndexOf(newline) + 1
    if (end > 0 || from + bytesRead >= this.size) return buffer.subarray(0, end)
    return await this.read(from, limit * 2)
  }

  /** Lets go of the file. It is opened again where more is appended. */
  async close(): Promise<void> {
    const { file } = this
    this.file = null
    await file?.close()
  }
}

const newline = 0x0a

async function wholeLines(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(65_536)
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - chunk.length)
    const { bytesRead } = await file.read(chunk, 0, end - from, from)
    const at = chunk.subarray(0, bytesRead).lastIndexOf(newline)
    if (at >= 0) return from + at + 1
    end = from
  }
  return 0
}
