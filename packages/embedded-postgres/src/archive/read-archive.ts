import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Extract, type ExtractEvents, extract } from 'tar-stream'
import { type Manifest, manifestName } from './write-archive.ts'

/** Thrown if the archive is not a backup of Mandate, is incomplete, or does not match its manifest. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged'
}

type Unpacked = { files: Manifest['files']; directories: string[]; manifest: Buffer | null }

/**
 * Unpacks an archive into the empty folder `into`, and compares every file with the manifest.
 * @throws ArchiveDamaged; the caller must then remove the unpacked files
 */
export async function unpackArchive(from: string, into: string): Promise<Manifest> {
  const tar = extract()
  const unpacked: Unpacked = { files: {}, directories: [], manifest: null }
  try {
    await Promise.all([pipeline(createReadStream(from), createGunzip(), tar), unpackEntries(tar, into, unpacked)])
    return compare(unpacked)
  } catch (error) {
    // a full disk or a missing file does not mean that the archive is damaged
    if ((error as NodeJS.ErrnoException).syscall) throw error
    throw new ArchiveDamaged(`The archive ${from} is damaged: ${(error as Error).message}`, { cause: error })
  }
}

async function unpackEntries(tar: Extract<ExtractEvents>, into: string, unpacked: Unpacked): Promise<void> {
  for await (const entry of tar) {
    const { name: raw, type } = entry.header
    const name = raw.replace(/\/$/, '')
    if (!isSafeName(name)) throw new Error(`the archive contains the unsafe path ${JSON.stringify(raw)}`)
    if (name === manifestName) {
      unpacked.manifest = await buffer(entry as AsyncIterable<Buffer>)
    } else if (type === 'directory') {
      await mkdir(join(into, name), { mode: 0o700 })
      unpacked.directories.push(name)
      entry.resume()
    } else if (type === 'file') {
      unpacked.files[name] = await unpackFile(entry as AsyncIterable<Buffer>, join(into, name))
    } else {
      throw new Error(`the archive contains ${name}, which is a ${type} and not a file or a folder`)
    }
  }
}

async function unpackFile(chunks: AsyncIterable<Buffer>, path: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  await using file = await open(path, 'wx', 0o600)
  for await (const chunk of chunks) {
    hash.update(chunk)
    size += chunk.length
    await file.write(chunk)
  }
  await file.datasync()
  return { size, sha256: hash.digest('hex') }
}

function compare({ files, directories, manifest }: Unpacked): Manifest {
  if (!manifest)
    throw new Error(`the file ${manifestName} is missing, so the archive is not a complete backup of Mandate`)
  const promised = JSON.parse(manifest.toString()) as Manifest
  if (promised.format !== 1)
    throw new Error(`this version of Mandate cannot read archive format ${promised.format}; use a newer version`)
  for (const [name, { size, sha256 }] of Object.entries(promised.files)) {
    const found = files[name]
    if (!found) throw new Error(`the file ${name} is missing; use another backup`)
    if (found.size !== size || found.sha256 !== sha256)
      throw new Error(`the file ${name} differs from the manifest; use another backup`)
  }
  const stray = Object.keys(files).find((name) => !promised.files[name])
  if (stray) throw new Error(`the archive contains ${stray}, which its ${manifestName} does not list`)
  const lost = promised.directories.find((name) => !directories.includes(name))
  if (lost) throw new Error(`the folder ${lost} is missing; use another backup`)
  return promised
}

/**
 * Returns whether a name from the archive is safe to unpack. A safe name is relative, contains no `..`, and does not start with
 * a dot. Names that start with a dot are reserved for internal files of the data folder.
 */
function isSafeName(name: string): boolean {
  return !name.startsWith('.') && !/\0|\\/.test(name) && name.split('/').every((part) => part !== '' && part !== '..')
}
