import { randomBytes } from 'node:crypto'
import { chmod, chown, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Document } from 'yaml'
import { Failure } from '../../invocation/failure.ts'
import { pathOf } from '../../invocation/invocation.ts'
import { readTextFile } from '../../invocation/read-text-file.ts'
import { checkContent, partsOf } from './check-content.ts'
import { lineOf } from './line-of.ts'
import { parseYaml, plainOf, type YamlFault } from './parse-yaml.ts'
import type { PolicyContent } from './policy-content.ts'

/** A parsed policy file: its content, and a YAML tree that keeps comments and style. */
export interface PolicyFile {
  path: string
  content: PolicyContent
  tree: Document
  /** `file:line: path message` for each rule that can never match, and for each text that looks like a number. */
  warnings: string[]
  /** Returns `file:line:` of a field. */
  at: (place: readonly PropertyKey[]) => string
}

/** Reads and validates a policy file. @throws Failure that lists every error with its line */
export async function readPolicyFile(path: string): Promise<PolicyFile> {
  const text = await readTextFile(path)
  const { tree, lines, faults, inexact, isWhole, doubtful } = parseYaml(text)
  const withPlace = ({ line, column, message }: YamlFault) => `${path}:${line}:${column}: ${message}`
  const written = faults.map(withPlace)
  if (!isWhole) throw new Failure(written.join('\n'))
  const at = (place: readonly PropertyKey[]) => `${path}:${lineOf(tree, lines, place)}:`
  const { content, errors, warnings } = checkContent(plainOf(path, tree))
  const wrong = errors
    .filter(({ place }) => !inexact.has(tree.getIn(place, true)))
    .map(({ place, message }) => `${at(place)} ${message}`)
  if (content === undefined || wrong.length + written.length > 0) throw new Failure([...written, ...wrong].join('\n'))
  return {
    path,
    content,
    tree,
    at,
    warnings: [
      ...doubtful.map(withPlace),
      ...warnings.map((warning) => `${at(partsOf(warning.path))} ${warning.path} ${warning.message}`),
    ],
  }
}

/**
 * Writes a policy file. Keeps the links to the file, its mode and owner, its line ends and its byte order mark. The write is atomic, except
 * if the file has several hard links: another file in its place would end them.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const whole = await realpath(pathOf(path)).catch(() => pathOf(path))
  const old = await stat(whole).catch(absent)
  const content = old ? inStyleOf(await readFile(whole, 'utf8'), text) : text
  if (old && old.nlink > 1) return await writeFile(whole, content)
  const temporary = join(dirname(whole), `.${randomBytes(8).toString('hex')}.tmp`)
  try {
    await writeFile(temporary, content, { flag: 'wx' }).catch((error) => {
      throw Object.assign(error, { path })
    })
    if (old) {
      // Only root can give a file away. The mode is set last, because a change of the owner clears bits of the mode.
      await chown(temporary, old.uid, old.gid).catch(() => {})
      await chmod(temporary, old.mode & 0o7777)
    }
    await rename(temporary, whole)
  } finally {
    await rm(temporary, { force: true })
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Gives new text the line ends and the byte order mark of the old text. */
export function inStyleOf(old: string, text: string): string {
  const lines = old.split('\n')
  const crlf = lines.filter((line) => line.endsWith('\r')).length
  const mark = old.startsWith('\uFEFF') && !text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return mark + (crlf > (lines.length - 1) / 2 ? text.replaceAll(/\r?\n/g, '\r\n') : text)
}
