import type { FreezeProgress, SeenConfirmation } from '../../freezes/confirmations/confirmation-reader.ts'
import { eventText } from '../stream/stream-event.ts'

/** Returns the text of `freeze.confirmed`. */
export function confirmedText(
  { eventId, at, edge, agent, instance_id, after_ms }: SeenConfirmation,
  freeze: FreezeProgress,
): string {
  const { confirmed, total } = freeze
  return textOf('freeze.confirmed', eventId, freeze, { at, edge, agent, instance_id, after_ms, confirmed, total })
}

/** Returns the text of `freeze.progress`. `at` is ISO 8601. */
export function progressText(eventId: string, freeze: FreezeProgress, at: string): string {
  const { confirmed, total } = freeze
  return textOf('freeze.progress', eventId, freeze, { at, confirmed, total })
}

function textOf(
  type: 'freeze.confirmed' | 'freeze.progress',
  id: string,
  { freezeId, agentId, environmentId, drill }: FreezeProgress,
  { at, ...more }: { at: string } & Record<string, unknown>,
): string {
  return eventText(type, id, {
    id,
    type,
    at,
    resource: { type: 'freeze', id: freezeId },
    ...(agentId && { agent_id: agentId }),
    ...(environmentId && { environment_id: environmentId }),
    ...(drill && { drill }),
    ...more,
  })
}
