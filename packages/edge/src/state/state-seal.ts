import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readJsonFile, replaceFile } from './private-files.ts'

const Sealed = z.object({ text: z.string(), mac: z.string() })

/**
 * Protects the files that an edge trusts after a restart. Each file contains a MAC. The key of the MAC is derived from the
 * credential of the edge. A file counts as absent if its MAC does not match. This happens if the file was changed, or if it was
 * written with another credential or under another name.
 */
export class StateSeal {
  /** A value that identifies the credential in file names without revealing it. */
  readonly credential: string
  private readonly key: Buffer
  private readonly onMismatch: (path: string) => void

  /** `onMismatch` is called for each file whose MAC does not match. Such a file counts as absent. */
  constructor(credential: string, onMismatch: (path: string) => void = () => {}) {
    this.key = derive(credential, 'mandate edge state, authentication')
    this.credential = derive(credential, 'mandate edge state, file names').toString('hex', 0, 4)
    this.onMismatch = onMismatch
  }

  /** Returns the path of a file for this credential only, such as `instance-1a2b3c4d.json`. */
  fileIn(folder: string, name: string): string {
    return join(folder, `${name}-${this.credential}.json`)
  }

  /**
   * Returns the content of a file: the text and its MAC. The MAC also covers `name`, so that a file cannot take the place of
   * another.
   */
  seal(name: string, text: string): string {
    return JSON.stringify({ text, mac: this.macOf(name, text).toString('hex') })
  }

  /**
   * Reads the JSON that was written under this name, and verifies its MAC. Returns undefined if there is no such file, or if
   * the MAC does not match.
   */
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
