import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readJsonFile, replaceFile } from './private-files.ts'

const Sealed = z.object({ text: z.string(), mac: z.string() })

/**
 * Authenticates the files from which an edge decides after a restart, with keys derived from its credential. A file counts as
 * absent unless it was written with this credential under this name.
 */
export class StateSeal {
  /** Identifies the credential in file names without revealing it. */
  readonly credential: string
  private readonly key: Buffer
  private readonly onMismatch: (path: string) => void

  /** Calls `onMismatch` for each file that exists but counts as absent. */
  constructor(credential: string, onMismatch: (path: string) => void = () => {}) {
    this.key = derive(credential, 'mandate edge state, authentication')
    this.credential = derive(credential, 'mandate edge state, file names').toString('hex', 0, 4)
    this.onMismatch = onMismatch
  }

  /** The path of a file for this credential only, such as `instance-1a2b3c4d.json`. */
  fileIn(folder: string, name: string): string {
    return join(folder, `${name}-${this.credential}.json`)
  }

  /** Seals the text of a file. `name` identifies its purpose, independent of its path. */
  seal(name: string, text: string): string {
    return JSON.stringify({ text, mac: this.macOf(name, text).toString('hex') })
  }

  /** Reads the JSON sealed under this name. Undefined if there is no such file. */
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
