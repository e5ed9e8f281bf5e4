import { readFile } from 'node:fs/promises'
import { type Document, isScalar } from 'yaml'
import { Failure } from '../../invocation/failure.ts'
import { pathOf } from '../../invocation/invocation.ts'
import { readTextFile } from '../../invocation/read-text-file.ts'
import { replaceFile } from '../../output/replace-file.ts'
import { checkContent, partsOf } from './check-content.ts'
import { lineOf } from './line-of.ts'
import { type ParsedYaml, parseYaml, plainOf, type YamlFault } from './parse-yaml.ts'
import type { PolicyContent } from './policy-content.ts'

/** A parsed policy file: its content, and a YAML tree that keeps comments and style. */
export interface PolicyFile {
  path: string
  content: PolicyContent
  /** The text, without a byte order mark. */
  text: string
  tree: Document
  /** `file:line: path message` for each rule that can never match, and for each text that looks like a number. */
  warnings: string[]
  /** Returns `file:line:` of a field. */
  at: (place: readonly PropertyKey[]) => string
}

/** The environment that a policy file names, and its `file:line:`. */
export interface NamedEnvironment {
  named: string
  at: string
}

/** The errors of a policy file. Only the control plane knows whether `environment` exists. */
export class InvalidPolicyFile extends Failure {
  readonly environment: NamedEnvironment | undefined

  constructor(message: string, environment: NamedEnvironment | undefined) {
    super(message)
    this.environment = environment
  }
}

/** Reads and validates a policy file. @throws InvalidPolicyFile that lists every error with its line */
export async function readPolicyFile(path: string): Promise<PolicyFile> {
  const text = await readTextFile(path)
  const parsed = parseYaml(text)
  const { tree, lines, faults, inexact, isWhole, doubtful } = parsed
  const withPlace = ({ line, column, message }: YamlFault) => `${path}:${line}:${column}: ${message}`
  const written = faults.map(withPlace)
  const at = (place: readonly PropertyKey[]) => `${path}:${lineOf(tree, lines, place)}:`
  const value = isWhole ? plainOf(path, tree) : partialValue(tree)
  const { content, errors, warnings } = checkContent(value)
  const isSound = (place: readonly PropertyKey[]) => isWhole || isBeforeFaults(parsed, place)
  const wrong = errors
    .filter(({ place }) => !inexact.has(tree.getIn(place, true)) && isSound(place))
    .map(({ place, message }) => `${at(place)} ${message}`)
  if (content === undefined || wrong.length + written.length > 0) {
    const named = (value as { environment?: unknown } | null | undefined)?.environment
    const isNamed = typeof named === 'string' && named !== '' && isSound(['environment'])
    throw new InvalidPolicyFile(
      [...written, ...wrong].join('\n'),
      isNamed ? { named, at: at(['environment']) } : undefined,
    )
  }
  return {
    path,
    content,
    text,
    tree,
    at,
    warnings: [
      ...doubtful.map(withPlace),
      ...warnings.map((warning) => `${at(partsOf(warning.path))} ${warning.path} ${warning.message}`),
    ],
  }
}

/** The value of a tree with syntax errors. Undefined if the tree has none. */
function partialValue(tree: Document): unknown {
  try {
    return tree.toJS()
  } catch {
    return undefined
  }
}

/**
 * Whether a value of the file ends before the first fault. An error of any other value may be a consequence of the fault, and so may an error of a
 * list or of fields, which may lack an end.
 */
function isBeforeFaults({ tree, lines, faults: [first] }: ParsedYaml, place: readonly PropertyKey[]): boolean {
  const node = tree.getIn(place, true)
  if (!first || !isScalar(node) || !node.range) return false
  return node.range[1] < (lines.lineStarts[first.line - 1] as number) + first.column - 1
}

/** Writes a policy file like `replaceFile`. Also keeps the line ends of the file and its byte order mark. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const old = await readFile(pathOf(path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await replaceFile(path, old === undefined ? text : inStyleOf(old, text))
}

/** Gives new text the line ends and the byte order mark of the old text. */
export function inStyleOf(old: string, text: string): string {
  const lines = old.split('\n')
  const crlf = lines.filter((line) => line.endsWith('\r')).length
  const mark = old.startsWith('\uFEFF') && !text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return mark + (crlf > (lines.length - 1) / 2 ? text.replaceAll(/\r?\n/g, '\r\n') : text)
}
