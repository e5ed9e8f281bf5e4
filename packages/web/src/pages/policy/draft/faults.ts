import { MandateError } from '@mandate/sdk'
import { policyFields } from '../../../words/policy-fields.ts'
import { asSentence } from '../../../words/words.ts'
import { type DocumentRule, fieldNames } from '../document/document.ts'
import type { Fault } from '../text/fault-marks.ts'

export type { Fault }

/** All faults that an answer of the server lists. An answer without a list names one field at the begin of its text. */
export function faultsOf(error: Error): Fault[] {
  const body = error instanceof MandateError ? (error.body as { errors?: Fault[] } | undefined) : undefined
  if (body?.errors?.length) return body.errors
  const [path = '', field] = /^(\w+)(?:\[\d+\]|\.\w+)*/.exec(error.message) ?? []
  return [{ path: names.has(field ?? '') ? path : '', message: error.message }]
}

const names: ReadonlySet<string> = new Set([...fieldNames, 'rules'])

/** What is wrong at a place of the document, or in it. */
function findAt(faults: readonly Fault[], path: string): Fault | undefined {
  const isIn = (fault: Fault) => fault.path.startsWith(path) && /^[.[]/.test(fault.path.slice(path.length))
  return faults.find((fault) => fault.path === path || isIn(fault))
}

export const hasFaultAt = (faults: readonly Fault[], path: string) => findAt(faults, path) !== undefined

type Rules = readonly DocumentRule[]

/** What is wrong at a field or in it, as a sentence. The field shows where, so the sentence names only an entry of a list. */
export function faultAt(faults: readonly Fault[], path: string, rules: Rules = []): string | undefined {
  const fault = findAt(faults, path)
  return fault && asSentence(`${entryOf(fault.path, rules)}${messageOf(fault, rules)}`)
}

/** What is wrong and where, as a sentence: "Rule Reads, condition 1, value: must be a number for gt." */
export function faultInWords(fault: Fault, rules: Rules): string {
  const place = placeInWords(fault.path, rules)
  return asSentence(`${place === '' ? '' : `${place}: `}${messageOf(fault, rules)}`)
}

/** What is wrong at its exact place, for the text of the document. */
export const faultText = ({ path, message }: Fault) =>
  path === '' || message.startsWith(path) ? message : `${path} ${message}`

/** Removes the path at the beginning of a message, and replaces references such as `rules[2]` by the names of the rules. */
function messageOf({ path, message }: Fault, rules: Rules): string {
  const own = path !== '' && message.startsWith(path) ? message.slice(path.length).replace(/^:? /, '') : message
  return own.replaceAll(anyPlace, (place) => placeInWords(place, rules))
}

const anyPlace = /\brules\[\d+\](?:\.\w+|\[\d+\])*/g

/** The pattern that is wrong, of the patterns in one field. */
function entryOf(path: string, rules: Rules): string {
  const [, rule, tool] = /^rules\[(\d+)\]\.match\.tools\[(\d+)\]/.exec(path) ?? []
  const text = rule === undefined ? undefined : rules[Number(rule)]?.match.tools[Number(tool)]
  return text === undefined ? '' : `“${text}” `
}

const fieldWords: Record<string, string> = {
  ...policyFields,
  rules: '',
  'match.tools': 'tools',
  'match.when': 'conditions',
  'limit.count': 'calls at most',
  'limit.window_s': 'window',
}

/** A path of the document in words: "Rule Reads, condition 1, value". */
function placeInWords(path: string, rules: Rules): string {
  const [, index, rest = ''] = /^rules\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  if (index === undefined) return fieldWords[path] ?? path
  const rule = rules[Number(index)]
  const name = rule?.name ? `rule ${rule.name}` : `rule ${Number(index) + 1} of the list`
  const [, tool] = /^match\.tools\[(\d+)\]$/.exec(rest) ?? []
  if (tool !== undefined) return `${name}, tool ${Number(tool) + 1}`
  const [, condition, part] = /^match\.when\[(\d+)\]\.?(\w*)$/.exec(rest) ?? []
  if (condition !== undefined)
    return [name, `condition ${Number(condition) + 1}`, conditionParts[part ?? ''] ?? part].filter(Boolean).join(', ')
  return [name, fieldWords[rest] ?? rest].filter(Boolean).join(', ')
}

const conditionParts: Record<string, string> = { op: 'operator', path: 'path', value: 'value', absent: 'if absent' }
