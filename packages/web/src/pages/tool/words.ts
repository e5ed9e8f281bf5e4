import type { Answer, Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import type { Hunk } from '../../ui/texts/diff.tsx'
import type { Clause } from '../../ui/texts/sentence.tsx'

export type Tool = Answer<'getTool'>
export type Pinning = Schema<'Environment'>['tool_pinning']
type Difference = Schema<'ToolDifference'>
type Verdict = Schema<'ToolReach'>['verdict']

export const verdicts: Record<Verdict, StateLook> = {
  ...effects,
  depends: { glyph: 'depends', word: 'Depends', tone: 'off' },
}

/** The filters of a list of verdicts. */
export const verdictChoices = [
  { name: 'All', search: {} },
  ...(['allow', 'require_approval', 'deny', 'depends'] as const).map((verdict) => ({
    name: verdicts[verdict].word,
    search: { verdict },
  })),
]

/** Says whether a person must look at the tool, and what edges do about it meanwhile. */
export function clausesOf(
  { state }: Pick<Tool, 'state'>,
  pinning: Pinning | undefined,
): { wrong: Clause[]; fine: string | undefined } {
  if (state === 'blocked') return { wrong: [{ text: 'It is blocked: edges deny every call' }], fine: undefined }
  if (state === 'pinned') return { wrong: [], fine: 'Servers declare what people pinned.' }
  const text =
    state === 'changed' ? 'A server declares a definition that nobody pinned' : 'Nobody has pinned a definition'
  return { wrong: [{ text }], fine: pinning && effectOf(state, pinning) }
}

function effectOf(state: 'changed' | 'new', pinning: Pinning): string {
  if (pinning === 'off') return 'Edges decide its calls by policy, because this environment has no tool pinning.'
  if (pinning === 'alert')
    return state === 'changed'
      ? 'Edges decide its calls by policy, and agents that may call it have a finding.'
      : 'Edges decide its calls by policy.'
  return state === 'changed'
    ? 'Edges hide it and deny its calls where the server declares this definition.'
    : 'Edges hide it and deny its calls.'
}

/** What a pin does in an environment. */
export const pinEffects: Record<Pinning, string> = {
  off: 'Tool pinning is off in this environment: Mandate only shows when a server declares another definition.',
  alert: 'If a server declares another definition, agents that may call the tool get a finding. Edges go on.',
  enforce:
    'Edges allow the tool only with a pinned definition. If a server declares another one, they deny and hide it.',
}

/** The server keeps at most this many pins of a tool. */
const mostPins = 5

/** Why a further definition cannot be pinned beside those that are. */
export const whyNotKeep = ({ pinned_hashes }: Pick<Tool, 'pinned_hashes'>) =>
  pinned_hashes.length >= mostPins ? `A tool has at most ${mostPins} pinned definitions.` : undefined

const fields: Readonly<Record<string, string>> = {
  name: 'name',
  title: 'title',
  description: 'description',
  input_schema: 'input schema',
  output_schema: 'output schema',
  annotations: 'annotations',
}

const changes = { added: 'was added', removed: 'was removed', changed: 'changed' }

/** What changed, in words: "The description of the argument path changed". */
export function differenceWords({ path, change }: Pick<Difference, 'path' | 'change'>): string {
  const [field = '', ...rest] = path.split('/')
  const known = fields[field] ?? field
  const verb = field === 'annotations' && rest.length === 0 && change !== 'changed' ? pluralOf(change) : changes[change]
  return `The ${placeOf(field, known, rest)} ${verb}`
}

const pluralOf = (change: 'added' | 'removed') => `were ${change}`

function placeOf(field: string, known: string, rest: readonly string[]): string {
  if (rest.length === 0) return known
  if (field === 'annotations') return `annotation ${rest.join('/')}`
  if (field === 'input_schema' && rest[0] === 'properties' && rest[1] !== undefined) {
    const argument = `argument ${rest[1]}`
    if (rest.length === 2) return argument
    const inside = rest.slice(2).join('/')
    return `${inside === 'description' ? 'description' : `field ${inside}`} of the ${argument}`
  }
  return `field ${rest.join('/')} of the ${known}`
}

/** The differences as parts of a diff. */
export const hunksOf = (differences: readonly Difference[]): Hunk[] =>
  differences.map((difference) => ({
    title: differenceWords(difference),
    before: difference.from ?? '',
    after: difference.to ?? '',
  }))
