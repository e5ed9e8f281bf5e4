import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Schema } from '@mandate/sdk'
import { exactTime } from '../../words/times.ts'

type Entry = Schema<'AuditEntry'>

/** A field of an entry with its value, as a person reads it. */
export interface Fact {
  label: string
  value: string
  /** True if the value is an id without a name. */
  isId?: true
}

/** Maximum number of details that the page lists for an entry. The raw form has all of them. */
const mostDetails = 50
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** Returns who did what to which object, from where, and each detail of the change. Ids have the names of their objects. */
export function factsOf(entry: Entry, names: Readonly<Record<string, string>>): Fact[] {
  const { actor, api_key: key, resource, created_at: at, seq } = entry
  const who = [actor.name, actor.email].filter(Boolean)
  const details = detailFacts([], entry.details, names)
  const all: Fact[] = [
    { label: 'Time', value: exactTime(at) },
    { label: 'Who', value: who.length > 0 ? who.join(', ') : wordsOf(actor.type) },
    ...(key ? [{ label: 'With the API key', value: `${key.name} (${key.prefix}…)` }] : []),
    { label: 'Object', value: [wordsOf(resource.type), resource.name].filter(Boolean).join(': ') },
    ...(entry.agent_id ? [idFact('Agent', entry.agent_id, names)] : []),
    ...(entry.environment_id ? [idFact('Environment', entry.environment_id, names)] : []),
    ...details.slice(0, mostDetails),
    ...(details.length > mostDetails ? [{ label: 'More details', value: 'in the raw form' }] : []),
    ...(entry.ip ? [{ label: 'Address of the client', value: entry.ip }] : []),
    ...(entry.user_agent ? [{ label: 'Program of the client', value: entry.user_agent }] : []),
    { label: 'Place in the trail', value: seq === undefined ? 'not sealed yet, or not shown to you' : String(seq) },
  ]
  // The details of some entries name their agent or environment again.
  const labels = new Map<string, string>()
  return all.flatMap((fact) => {
    const before = labels.get(fact.label)
    if (before === fact.value) return []
    const label = before === undefined ? fact.label : `Detail: ${fact.label}`
    labels.set(label, fact.value)
    return [{ ...fact, label }]
  })
}

type Part = Readonly<Record<string, unknown>>

/** True for `policy_name` beside the `policy_id` of an object that has this name now. The fact of the id shows the name. */
function isNameOfId(field: string, name: unknown, beside: Part, names: Readonly<Record<string, string>>): boolean {
  const id = field.endsWith('_name') ? beside[field.replace(/name$/, 'id')] : undefined
  return typeof id === 'string' && names[id] !== undefined && names[id] === name
}

/** The facts of one detail. The parts of an object or of a list are facts of their own, under the path to them. */
function detailFacts(path: readonly string[], value: unknown, names: Readonly<Record<string, string>>): Fact[] {
  const parts: [string, unknown][] = Array.isArray(value)
    ? value.map((part, index): [string, unknown] => [String(index + 1), part])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : []
  if (parts.length > 0)
    return parts
      .filter(([name, part]) => !isNameOfId(name, part, value as Part, names))
      .slice(0, mostDetails + 1)
      .flatMap(([name, part]) => detailFacts([...path, name], part, names))
  if (path.length === 0) return []
  const label = labelOf(path)
  if (typeof value === 'string' && isUuid(value)) return [idFact(label, value, names)]
  return [{ label, value: textOf(value) }]
}

function idFact(label: string, id: string, names: Readonly<Record<string, string>>): Fact {
  const name = names[id]
  return name === undefined ? { label, value: id, isId: true } : { label: label.replace(/ id$/, ''), value: name }
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return 'none'
  if (value === '') return 'empty'
  return isoTime.test(value) ? exactTime(value) : value
}

const wordsOf = (name: string) => name.replaceAll('_', ' ')

function labelOf(path: readonly string[]): string {
  const text = path.map(wordsOf).join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
