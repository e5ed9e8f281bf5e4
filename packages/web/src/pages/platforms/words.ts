import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'

type Platform = Schema<'ConnectedPlatform'>

export const kindNames: Record<Platform['kind'], string> = {
  github: 'GitHub',
  salesforce: 'Salesforce',
  m365: 'Microsoft 365',
  snowflake: 'Snowflake',
}

/** Where an agent comes from. */
export const sourceWords: Record<Schema<'Agent'>['source'], string> = {
  runtime: 'a registration by a person, a program or an edge',
  ...kindNames,
}

/** The result of the last synchronization. */
export function healthOf({ last_sync_status: status }: Pick<Platform, 'last_sync_status'>): StateLook {
  if (status === null) return { glyph: 'proposed', word: 'Not synchronized yet', tone: 'quiet' }
  return status === 'failed'
    ? { glyph: 'warn', word: 'Failed', tone: 'deny' }
    : { glyph: 'approved', word: 'Succeeded', tone: 'quiet' }
}

/** Platforms whose last synchronization failed. */
export function clausesOf(platforms: readonly Platform[]): Clause[] {
  const failed = platforms.filter(({ last_sync_status: status }) => status === 'failed').length
  if (failed === 0) return []
  return [{ text: counted(failed, '# synchronization failed', '# synchronizations failed') }]
}

export const fineOf = (platforms: number) =>
  platforms === 0
    ? 'No platform is connected.'
    : counted(platforms, '# platform is connected.', '# platforms are connected.')
