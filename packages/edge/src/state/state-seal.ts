import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readJsonFile, replaceFile } from './private-files.ts'

const Sealed = z.object({ text: z.string(), mac: z.string() })

/**
 * Authenticates what an edge decides by after a restart, with keys derived from its credential. A file that was not written with
 * the same credential under the same name counts as absent.
 */
export class StateSeal {
  /** Names the credential in file names; says nothing of it. */
  readonly credential: string
  private readonly key: Buffer
  private readonly onMismatch: (path: string) => void

  /** `onMismatch` is told of each file that counts as absent although there is one. */
  constructor(credential: string, onMismatch: (path: string) => void = () => {}) {
    this.key = derive(credential, 'mandate edge state, authentication')
    this.credential = derive(credential, 'mandate edge state, file names').toString('hex', 0, 4)
    this.onMismatch = onMismatch
  }

  /** The file of a folder that this credential has to itself, such as `instance-1a2b3c4d.json`. */
  fileIn(folder: string, name: string): string {
    return join(folder, `${name}-${this.credential}.json`)
  }

  /** The text of a file with its seal. `name` says what the file is for, wherever it lies. */
  seal(name: string, text: string): string {
    return JSON.stringify({ text, mac: this.macOf(name, text).toString('hex') })
  }

  /** The JSON sealed in a file under that name, or undefined if no such file exists. */
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

  /** Replaces a file as a whole. */
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
