import { randomBytes } from 'node:crypto'
import { chmod, chown, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { describeIssue } from '@mandate/contract/checks/refusal-text'
import { validateDocument } from '@mandate/policy/validate'
import { type Document, type ErrorCode, LineCounter, parseDocument, type YAMLParseError } from 'yaml'
import { Failure } from '../invocation/failure.ts'
import { pathOf } from '../invocation/invocation.ts'
import { PolicyContent } from './policy-content.ts'

/** A parsed policy file: its content, and a YAML tree that keeps comments and style. */
export interface PolicyFile {
  path: string
  content: PolicyContent
  tree: Document
  /** `file:line: path message` for each rule that can never match. */
  warnings: string[]
  /** Returns `file:line:` of a field. */
  at: (place: readonly PropertyKey[]) => string
}

/** Reads and validates a policy file. @throws Failure that lists every error with its line */
export async function readPolicyFile(path: string): Promise<PolicyFile> {
  const text = await readFile(pathOf(path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(error.code === 'ENOENT' ? `file not found: ${path}` : `${path}: ${error.message}`)
  })
  const lines = new LineCounter()
  const tree = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (tree.errors.length > 0) {
    const faults = tree.errors.map((fault) => `${path}:${lines.linePos(fault.pos[0]).line}: ${yamlFault(fault)}`)
    throw new Failure([...new Set(faults)].join('\n'))
  }
  const at = (place: readonly PropertyKey[]) => `${path}:${lineOf(tree, lines, place)}:`
  const content = contentOf(path, tree, at)
  const { errors, warnings } = validateDocument({ ...content, environment_id: null })
  if (errors.length > 0) {
    throw new Failure(errors.map((fault) => `${at(partsOf(fault.path))} ${fault.path} ${fault.message}`).join('\n'))
  }
  return {
    path,
    content,
    tree,
    at,
    warnings: warnings.map((warning) => `${at(partsOf(warning.path))} ${warning.path} ${warning.message}`),
  }
}

const yamlFaults: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'the indentation does not match the lines above',
  BAD_DQ_ESCAPE:
    'the text in double quotes has an unknown escape sequence; use single quotes, or write \\\\ for one backslash',
  BAD_SCALAR_START: 'the value starts with a reserved character; put the value in quotes',
  BAD_ALIAS: 'the value starts with * or &, which YAML reads as an alias or an anchor; put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'the line has a second field; put it on a line of its own, or put the value in quotes',
  DUPLICATE_KEY: 'the field is in this place twice',
  MULTILINE_IMPLICIT_KEY: 'the line is no field; a field has a colon and a space after its name',
  MULTIPLE_DOCS: 'the file contains a second document after ---; put each policy into a file of its own',
  TAB_AS_INDENT: 'a tab indents the line; use spaces',
}

/** Describes a fault of the YAML syntax. */
function yamlFault({ code, message }: YAMLParseError): string {
  return yamlFaults[code] ?? message
}

function contentOf(path: string, tree: Document, at: (place: readonly PropertyKey[]) => string): PolicyContent {
  const parsed = PolicyContent.safeParse(plainOf(path, tree), { reportInput: true })
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => {
    const message = describeIssue([issue], 'the file')
    if (issue.code !== 'unrecognized_keys') return `${at(issue.path)} ${message}`
    return `${at([...issue.path, issue.keys[0]!])} ${message}: ${issue.keys.join(', ')}`
  })
  throw new Failure(faults.join('\n'))
}

// YAML aliases can expand a small file to a huge value. The parser limits the expansion and throws.
function plainOf(path: string, tree: Document): unknown {
  try {
    return tree.toJS()
  } catch (error) {
    const { message } = error as Error
    const name = /^Unresolved alias .*: (.+)$/.exec(message)?.[1]
    if (name === undefined) throw new Failure(`${path}: ${message}`)
    throw new Failure(
      `${path}: the alias *${name} has no anchor &${name} before it; put a value that starts with * in quotes`,
    )
  }
}

/** Line number of a field, or of the nearest enclosing node if the field is missing. */
function lineOf(tree: Document, lines: LineCounter, place: readonly PropertyKey[]): number {
  for (let length = place.length; length > 0; length--) {
    const node = tree.getIn(place.slice(0, length), true) as { range?: [number, number, number] } | undefined
    if (node?.range) return lines.linePos(node.range[0]).line
  }
  return 1
}

/** Splits a path such as `rules[1].match.tools[0]` into keys and indexes. */
function partsOf(path: string): (string | number)[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
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
  const temporary = `${whole}.${randomBytes(4).toString('hex')}.tmp`
  try {
    await writeFile(temporary, content, { flag: 'wx' })
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
