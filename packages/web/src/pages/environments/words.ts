import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { modeLooks } from '../../ui/page/states.ts'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'

type Environment = Schema<'Environment'>
type Preview = Schema<'EnvironmentDeletionPreview'>

/** What edges of the environment do about pinned definitions of tools. */
export const pinnings: Record<Environment['tool_pinning'], StateLook> = {
  off: { glyph: 'retired', word: 'Off', tone: 'off' },
  alert: { glyph: 'warn', word: 'Alert', tone: 'quiet' },
  enforce: { glyph: 'approved', word: 'Enforce', tone: 'quiet' },
}

export const pinningHints: Record<Environment['tool_pinning'], string> = {
  off: 'Edges do nothing about pins, and no finding opens.',
  alert: 'A tool that changed after it was pinned opens a finding. Edges go on.',
  enforce: 'Edges deny and hide tools whose definition is not pinned.',
}

/** What happens to the arguments of calls. */
export function keepingHint(isOn: boolean): string {
  return isOn
    ? 'Edges send with their decisions the values that conditions of policies read, without secrets. Everyone who sees a decision sees them.'
    : 'Edges send only a digest of the arguments. A replay cannot decide calls whose rules ask for arguments. What was kept before is deleted within a day.'
}

/** What enforcing the pins stops now, by the number of tools in each state. */
export function enforcingEffects({ state }: Pick<Schema<'ToolFacets'>, 'state'>): string[] {
  const countOf = (wanted: string) => state.find(({ key }) => key === wanted)?.count ?? 0
  const [unpinned, changed] = [countOf('new'), countOf('changed')]
  const effects: string[] = []
  if (unpinned > 0)
    effects.push(
      counted(
        unpinned,
        '# tool has no pin. Edges hide it and deny its calls.',
        '# tools have no pin. Edges hide them and deny their calls.',
        10_000,
      ),
    )
  if (changed > 0)
    effects.push(
      counted(
        changed,
        '# tool changed after it was pinned. Edges that see the new definition hide it and deny its calls.',
        '# tools changed after they were pinned. Edges that see the new definitions hide them and deny their calls.',
        10_000,
      ),
    )
  if (effects.length === 0) effects.push('Every tool that is known here is pinned as declared, so nothing stops now.')
  return [...effects, 'From now on, a new tool works only after somebody has pinned it.']
}

export const modeHints: Record<Environment['governance_mode'], string> = {
  enforce: `For policies with the enforcement “${modeLooks.inherit.word}”. Other policies decide themselves.`,
  monitor: `Policies with the enforcement “${modeLooks.inherit.word}” record decisions and stop nothing.`,
}

/** Environments in which policies stop nothing, those of production first. */
export function clausesOf(environments: readonly Environment[]): Clause[] {
  const monitoring = environments.filter(({ governance_mode: mode }) => mode === 'monitor')
  const production = monitoring.filter(({ is_production }) => is_production).length
  const clauses: Clause[] = []
  if (production > 0) {
    clauses.push({
      text: counted(production, '# production environment stops nothing', '# production environments stop nothing'),
      tone: 'deny',
    })
  }
  const others = monitoring.length - production
  if (others > 0) {
    clauses.push({
      text: counted(others, '# environment only records decisions', '# environments only record decisions'),
    })
  }
  return clauses
}

/** What a deletion revokes and keeps, or why it is not possible now. */
export function effectsOf(preview: Preview): { stops: string | undefined; effects: string[] } {
  const { agents, api_keys: keys, reports_kept: reports, live_share_links: links } = preview
  const most = 10_000
  return {
    stops:
      agents === 0
        ? undefined
        : counted(
            agents,
            '# agent is in the environment. Archive it or move it first.',
            '# agents are in the environment. Archive or move them first.',
            most,
          ),
    effects: [
      keys === 0
        ? 'No API key is bound to it.'
        : counted(keys, '# API key bound to it is revoked.', '# API keys bound to it are revoked.', most),
      'The keys of its edges are revoked.',
      reports === 0
        ? 'No report is about it.'
        : counted(
            reports,
            '# report is kept as a report of the organization.',
            '# reports are kept as reports of the organization.',
          ),
      ...(links === 0 ? [] : [counted(links, '# share link keeps working.', '# share links keep working.')]),
    ],
  }
}
