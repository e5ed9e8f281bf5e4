import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readJsonFile, replaceFile } from './private-files.ts'

const Sealed = z.object({ text: z.string(), mac: z.string() })

/**
 * Seals and verifies the files that an edge trusts after a restart. The keys are derived from the credential of the edge. A
 * file counts as absent if it was not written with this credential and under this name.
 */
export class StateSeal {
  /** A value that identifies the credential in file names without revealing it. */
  readonly credential: string
  private readonly key: Buffer
  private readonly onMismatch: (path: string) => void

  /** `onMismatch` is called for each file that exists but counts as absent. */
  constructor(credential: string, onMismatch: (path: string) => void = () => {}) {
    this.key = derive(credential, 'mandate edge state, authentication')
    this.credential = derive(credential, 'mandate edge state, file names').toString('hex', 0, 4)
    this.onMismatch = onMismatch
  }

  /** Returns the path of a file for this credential only, such as `instance-1a2b3c4d.json`. */
  fileIn(folder: string, name: string): string {
    return join(folder, `${name}-${this.credential}.json`)
  }

  /** Seals the text of a file. `name` identifies the purpose of the file, independent of its path. */
  seal(name: string, text: string): string {
    return JSON.stringify({ text, mac: this.macOf(name, text).toString('hex') })
  }

  /** Reads the JSON that was sealed under this name. Returns undefined if there is no such file. */
  async read(path: string, name: string): Promise<unknown> {
    const found = await readJsonFile(path)
    if (found === undefined) return undefined
    const { data } = Sealed.safeParse(found)
    const given = Buffer.from(data?.mac ?? '', 'hex')
    const expected = this.macOf(name, data?.text ?? '')
    if (data && given.length === expected.length && timingSafeEqual(given, expected)) return JSON.parse(data.text)
    this.onMismatch(path)
    return undefined
  }

  /** Replaces a file atomically. */
  async replace(path: string, name: string, text: string): Promise<void> {
    await replaceFile(path, this.seal(name, text))
  }

  private macOf(name: string, text: string): Buffer {
    return createHmac('sha256', this.key).update(`${name}\0${text}`).digest()
  }
}

function derive(credential: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', credential, '', purpose, 32))
}
