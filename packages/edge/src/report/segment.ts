import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../state/private-files.ts'
import type { SegmentName } from './segment-name.ts'

/**
 * One append-only file of the spool. The bytes below `size` are complete lines. Bytes after them are ignored. The file is
 * open only while lines are appended to it, so segments that wait to be sent use no file descriptors.
 */
export class Segment {
  readonly path: string
  readonly windowMs: number
  readonly number: number
  /** The key whose chain the records belong to. Null for records without a chain. */
  readonly kid: string | null
  size: number
  /** The number of bytes that were already sent. */
  sent = 0
  /** True if a failed write could not be undone. Then nothing more is appended to this file. */
  closed = false
  private file: FileHandle | null = null
  private dirty = false
  /** The number of bytes that are surely on the disk, so that they survive a power failure. */
  private synced = 0
  private isNameSynced = false

  private constructor(path: string, { windowMs, number, kid }: SegmentName, size: number) {
    this.path = path
    this.windowMs = windowMs
    this.number = number
    this.kid = kid
    this.size = size
  }

  /** Opens or creates a segment. Removes an incomplete last line, which a crash or a power failure can leave. */
  static async open(path: string, name: SegmentName): Promise<Segment> {
    await using file = await open(path, 'a+', 0o600)
    const { size } = await file.stat()
    const whole = await wholeLines(file, size)
    if (whole < size) await file.truncate(whole)
    return new Segment(path, name, whole)
  }

  /** Appends all bytes or none. With `forced`, also syncs them to disk. @throws the error of the file system */
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
    if (forced) this.synced = this.size
  }

  /** Syncs the appended bytes to disk. */
  async sync(): Promise<void> {
    if (!this.dirty) return
    this.dirty = false
    const { size } = this
    try {
      await this.file?.datasync()
    } catch (error) {
      this.dirty = true
      throw error
    }
    this.synced = size
  }

  /** Ensures that the first `length` bytes survive a power failure, also if an earlier process wrote them. */
  async secure(length: number): Promise<void> {
    if (this.synced < length) {
      const { size } = this
      if (this.file) await this.file.datasync()
      else await syncFile(this.path)
      this.synced = Math.max(this.synced, size)
    }
    if (!this.isNameSynced) await syncFolder(dirname(this.path))
    this.isNameSynced = true
  }

  /** Reads complete lines, starting at the byte `from`. Reads at most `limit` bytes, but at least one line. */
  async read(from: number, limit: number): Promise<Buffer> {
    const length = Math.min(this.size - from, limit)
    await using file = await open(this.path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
    const end = buffer.subarray(0, bytesRead).lastIndexOf(newline) + 1
    if (end > 0 || from + bytesRead >= this.size) return buffer.subarray(0, end)
    return await this.read(from, limit * 2)
  }

  /** Closes the file. The next append opens it again. */
  async close(): Promise<void> {
    const { file } = this
    this.file = null
    await file?.close()
  }
}

const newline = 0x0a

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r')
  await file.datasync()
}

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
