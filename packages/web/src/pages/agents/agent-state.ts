import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { lifecycles } from '../../ui/page/states.ts'

type Agent = Schema<'Agent'>

const archived: StateLook = { glyph: 'retired', word: 'Archived', tone: 'off' }
const frozen: StateLook = { glyph: 'frozen', word: 'Frozen', tone: 'deny' }
const suspended: StateLook = { glyph: 'suspended', word: 'Suspended', tone: 'deny' }

/** What stops the agent, or what people decided about it. */
export function stateOf({
  status,
  frozen: isFrozen,
  lifecycle_status,
}: Pick<Agent, 'status' | 'frozen' | 'lifecycle_status'>) {
  if (status === 'archived') return archived
  if (isFrozen) return frozen
  if (status === 'suspended') return suspended
  return lifecycles[lifecycle_status]
}
