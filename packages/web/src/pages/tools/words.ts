import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { capital, counted } from '../../words/words.ts'

export type Tool = Schema<'Tool'>
export type WarningType = Schema<'ToolWarning'>['type']
type Facets = Schema<'ToolFacets'>

const most = 10_000

/** What the state says of the definitions of a tool. */
export const toolStates: Record<Tool['state'], StateLook> = {
  changed: { glyph: 'differs', word: 'Changed', tone: 'deny' },
  blocked: { glyph: 'blocked', word: 'Blocked', tone: 'deny' },
  new: { glyph: 'proposed', word: 'Not pinned', tone: 'hold' },
  pinned: { glyph: 'approved', word: 'Pinned', tone: 'quiet' },
}

/** The types of warnings, the most serious first. */
export const toolWarnings: Record<WarningType, StateLook> = {
  hidden_characters: { glyph: 'warn', word: 'Hidden characters', tone: 'deny' },
  instruction_like: { glyph: 'warn', word: 'Reads like an instruction', tone: 'deny' },
  shadows: { glyph: 'warn', word: 'Same name on another server', tone: 'hold' },
  names_other_tool: { glyph: 'warn', word: 'Names another tool', tone: 'hold' },
  contains_url: { glyph: 'info', word: 'Has a web address', tone: 'off' },
  unannotated: { glyph: 'info', word: 'No annotations', tone: 'off' },
}
const warningTypes = Object.keys(toolWarnings) as WarningType[]

/** The types of the warnings of a tool, each once, the most serious first. */
export const typesOf = (warnings: Tool['warnings']): WarningType[] =>
  warningTypes.filter((wanted) => warnings.some(({ type }) => type === wanted))

/** Whether the latest definition has no pin, so that there is something to pin. */
export const hasUnpinned = ({ latest_hash, pinned_hashes }: Pick<Tool, 'latest_hash' | 'pinned_hashes'>) =>
  !pinned_hashes.includes(latest_hash)

/**
 * Why a person chooses a definition one by one among many to pin: it replaces another one, or has signs of an attack. Undefined for the
 * others.
 */
export function whyLook({ pinned_hashes, warnings }: Pick<Tool, 'pinned_hashes' | 'warnings'>): string | undefined {
  if (pinned_hashes.length > 0) return 'Another definition is pinned.'
  const serious = typesOf(warnings).filter((type) => toolWarnings[type].tone === 'deny')
  return serious.length > 0
    ? `The automatic checks found: ${serious.map((type) => toolWarnings[type].word).join(', ')}.`
    : undefined
}

const countOf = (values: Facets['state'], key: string) => values.find((value) => value.key === key)?.count ?? 0

/** What is wrong with the tools: what changed first. At most three clauses. */
export function clausesOf({ state, warning }: Facets): Clause[] {
  const of = (
    count: number,
    search: Record<string, string>,
    tone: 'deny' | 'hold',
    ...texts: [one: string, other: string]
  ) => (count > 0 ? [{ text: counted(count, ...texts, most), to: '/tools', search, tone }] : [])
  return [
    ...of(
      countOf(state, 'changed'),
      { state: 'changed' },
      'deny',
      '# tool changed after it was pinned',
      '# tools changed after they were pinned',
    ),
    ...of(
      countOf(warning, 'hidden_characters'),
      { warning: 'hidden_characters' },
      'deny',
      '# tool has hidden characters',
      '# tools have hidden characters',
    ),
    ...of(countOf(state, 'blocked'), { state: 'blocked' }, 'deny', '# tool is blocked', '# tools are blocked'),
    ...of(countOf(state, 'new'), { state: 'new' }, 'hold', '# tool is not pinned', '# tools are not pinned'),
  ]
    .slice(0, 3)
    .map((clause, index) => (index === 0 ? { ...clause, text: capital(clause.text) } : clause))
}

/** What is fine. */
export function fineOf({ total, state }: Facets): string | undefined {
  if (total === 0) return 'No tool is known.'
  const pinned = countOf(state, 'pinned')
  if (pinned === total) return counted(total, '# tool is known and pinned.', '# tools are known and pinned.', most)
  return pinned === 0 ? undefined : counted(pinned, '# tool runs as pinned.', '# tools run as pinned.', most)
}
