import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'

/**
 * The last entry of every archive. It lists the content of the archive. `files` maps each name to the size in bytes and the
 * SHA-256 digest in hex.
 */
export type Manifest = {
  format: 1
  created_at: string
  postgres_version: string
  directories: string[]
  files: Record<string, { size: number; sha256: string }>
}

export const manifestName = 'manifest.json'
const chunkBytes = 256 * 1024

export type ArchiveWriter = {
  addDirectory(name: string): Promise<void>
  addBytes(name: string, bytes: Buffer): Promise<void>
  /** Adds a file to the archive. Ignores bytes that are appended meanwhile. Returns false if the file does not exist. */
  addFile(name: string, path: string): Promise<boolean>
  finish(about: { postgresVersion: string }): Promise<Manifest>
  abandon(): void
}

/** Creates a gzipped tar file at `path`, with mode 0600. Fails if the path exists. */
export function createArchive(path: string): ArchiveWriter {
  const tar = pack()
  const output = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const written = pipeline(tar, createGzip({ level: 1 }), output)
  written.catch(() => {}) // the functions that wait for `written` report its error
  const manifest: Pick<Manifest, 'files' | 'directories'> = { files: {}, directories: [] }

  async function addChunks(name: string, size: number, chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
    const hash = createHash('sha256')
    const entry = tar.entry({ name, size, mode: 0o600, type: 'file' })
    const closed = once(entry, 'close')
    closed.catch(() => {})
    for await (const chunk of chunks) {
      hash.update(chunk)
      if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), written])
    }
    entry.end(null)
    await Promise.race([closed, written])
    manifest.files[name] = { size, sha256: hash.digest('hex') }
  }

  return {
    async addDirectory(name) {
      const added = new Promise<void>((resolve, reject) =>
        tar.entry({ name, type: 'directory', mode: 0o700 }, (error) => (error ? reject(error) : resolve())),
      )
      await Promise.race([added, written])
      manifest.directories.push(name)
    },
    addBytes: (name, bytes) => addChunks(name, bytes.length, [bytes]),
    async addFile(name, path) {
      const file = await open(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (!file) return false
      await using _ = file
      const { size } = await file.stat()
      await addChunks(name, size, readExactly(file, size))
      return true
    },
    async finish({ postgresVersion }) {
      const full: Manifest = {
        format: 1,
        created_at: new Date().toISOString(),
        postgres_version: postgresVersion,
        ...manifest,
      }
      const bytes = Buffer.from(JSON.stringify(full))
      await addChunks(manifestName, bytes.length, [bytes])
      tar.finalize()
      await written
      return full
    },
    abandon() {
      tar.destroy()
      output.destroy()
    },
  }
}

/**
 * Reads exactly `size` bytes. A running server may shorten the file during the read. Zeros then replace the missing bytes. When
 * the restored server starts, it replays the write-ahead log, which corrects these bytes.
 */
async function* readExactly(file: Awaited<ReturnType<typeof open>>, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.alloc(Math.min(chunkBytes, size - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    at += bytesRead || buffer.length
    yield bytesRead ? buffer.subarray(0, bytesRead) : buffer
  }
}
