import { isExactNumber } from '@mandate/contract/fields/is-exact-number'
import { type Document, isAlias, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { Failure } from '../../invocation/failure.ts'
import { describeYamlError } from './yaml-words.ts'

/** An error in a YAML text, with its line and column from 1. */
export interface YamlFault {
  line: number
  column: number
  message: string
}

export interface ParsedYaml {
  tree: Document
  lines: LineCounter
  /** Errors, sorted by line and column. A line has at most one syntax error. */
  faults: YamlFault[]
  /** Nodes of numbers that JavaScript cannot represent exactly. `tree` contains rounded values for them. */
  inexact: ReadonlySet<unknown>
  /** Whether the tree has all values of the text, so that its content can be checked too. */
  isWhole: boolean
  /** Texts that other parsers of YAML read as numbers. */
  doubtful: YamlFault[]
}

/**
 * Parses YAML, and so also JSON. Returns a tree that keeps comments and style. A number that JSON cannot represent exactly is a
 * fault, in every notation of YAML: the tree would contain another number.
 */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  const tree = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: true })
  const faultAt = (offset: number, message: string): YamlFault => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, message }
  }
  // The parser ignores a tag that it cannot apply: `!!float 5` would become the text "5".
  const ignoredTags = tree.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
  const errors = [...tree.errors, ...ignoredTags]
  const syntax = firstOfEachLine(errors.map((error) => faultAt(error.pos[0], describeYamlError(error))))
  const { faults, inexact, hasLoss, doubtful } = valueFaults(tree, faultAt)
  return {
    tree,
    lines,
    faults: [...syntax, ...faults].sort((a, b) => a.line - b.line || a.column - b.column),
    inexact,
    isWhole: !hasLoss && tree.errors.every(({ code }) => code === 'DUPLICATE_KEY'),
    doubtful,
  }
}

/**
 * Returns the value of a tree. YAML aliases can expand a small text to a huge value. The parser limits the expansion.
 * @param failure makes the error
 * @throws the error of `failure`
 */
export function plainOf(name: string, tree: Document, failure = (text: string) => new Failure(text)): unknown {
  try {
    return tree.toJS()
  } catch {
    throw failure(`${name}: the aliases expand to too many values; write the values out`)
  }
}

/** The parser reports the consequences of an error in the same line as further errors. */
function firstOfEachLine(faults: readonly YamlFault[]): YamlFault[] {
  return [...Map.groupBy(faults, ({ line }) => line).values()].map(([first]) => first!)
}

/** Finds numbers that are not exact or start with 0, and aliases of nothing. Makes every number of the tree a JavaScript number. */
function valueFaults(tree: Document, faultAt: (offset: number, message: string) => YamlFault) {
  const faults: YamlFault[] = []
  const inexact = new Set<unknown>()
  const doubtful: YamlFault[] = []
  const anchors = new Map<string, Node>()
  let hasLoss = false
  visit(tree, (key, node, path) => {
    if (!isNode(node)) return
    const report = (message: string) => faults.push(faultAt(node.range?.[0] ?? 0, message))
    if (key === 'key' && isScalar(node) && isMerge(node.value)) {
      hasLoss = true
      report('<< would merge the fields of another value, which policy files cannot; write the fields out')
      return
    }
    if (isAlias(node)) {
      const source = anchors.get(node.source)
      if (source !== undefined && !path.includes(source)) return
      hasLoss = true
      const name = shortened(node.source)
      const why = source === undefined ? `has no anchor &${name} before it` : 'is inside its own value'
      report(`the alias *${name} ${why}; put a value that starts with * in quotes`)
      return
    }
    if (node.anchor) anchors.set(node.anchor, node)
    if (!isScalar(node)) return
    if (node.type === 'PLAIN' && numberOfYaml11.test(String(node.value)))
      doubtful.push(
        faultAt(
          node.range?.[0] ?? 0,
          `${shortened(String(node.value))} is text, not a number; put it in quotes, or write the number in decimal digits`,
        ),
      )
    if (!isNumber(node.value)) return
    if (/^[-+]?0\d/.test(node.source ?? '')) {
      report(`${shortened(node.source ?? '')} ${hasZeros}`)
      inexact.add(node)
    } else if (!isExact(node.value, node.source ?? '')) {
      report(`${shortened(node.source ?? '')} ${isInexact}`)
      inexact.add(node)
      hasLoss ||= key === 'key'
    }
    // The rest of the program works with numbers.
    node.value = Number(node.value)
  })
  return { faults, inexact, hasLoss, doubtful }
}

/** With `%YAML 1.1`, the parser gives the key as a symbol. */
const isMerge = (value: unknown) => (typeof value === 'symbol' ? value.description : value) === '<<'

/**
 * Numbers with underscores, binary numbers, and numbers with base 60, which YAML 1.2 no longer has. The digits before the first `_`
 * contain no `_`, so that the expression takes linear time.
 */
const numberOfYaml11 = /^[-+]?(?:\d+_[\d_]*(?:\.[\d_]*)?|0[xb][\da-f]*_[\da-f_]*|0b[01]+|\d+(?::[0-5]?\d)+(?:\.\d*)?)$/i

const isNumber = (value: unknown): value is bigint | number => typeof value === 'bigint' || typeof value === 'number'

/** The SDK sends numbers up to 2^53 only. The parser returns integers of every notation as bigint, and all other numbers as number. */
function isExact(value: bigint | number, source: string): boolean {
  if (Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER) return false
  return typeof value === 'bigint' || isExactNumber(source.replaceAll('_', '').replace(/^\+/, ''))
}

const hasZeros = 'starts with 0, which a number does not keep; quote it to make it a string, or write it without the 0'

const isInexact = 'is beyond 2^53, or JSON cannot represent it exactly; quote it to make it a string'

const shortened = (source: string) => (source.length > 40 ? `${source.slice(0, 40)}…` : source)
