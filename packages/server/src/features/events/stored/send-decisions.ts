import type { Decision } from '@mandate/contract/decisions'
import { seesWholeTenant } from '../../../authz/can.ts'
import type { Database } from '../../../db/database.ts'
import { type StoredDecisions, storedDecisions } from '../../../events/decision-feed.ts'
import type { EventRow } from '../../../events/event-row.ts'
import { readForStream, visibleAgents } from '../../decisions/list/read-for-stream.ts'
import { wantedOf } from '../stream/decision-window.ts'
import type { EventStream } from '../stream/event-stream.ts'
import { eventText } from '../stream/stream-event.ts'

/** Returns the texts of the decisions of a row for a stream that shows decisions. */
export type DecisionsOf = (stream: EventStream, row: EventRow) => Promise<readonly string[]>

/**
 * Prepares the decisions of a batch. Callers who see the whole tenant get the same text, so it is read once for all of them. For others,
 * it is read once for each.
 */
export function decisionReader(db: Database): DecisionsOf {
  const read = new Map<string, Promise<Decision[]>>()
  return async (stream, row) => {
    const { actor, options } = stream
    if (row.type !== storedDecisions || options.decisions === undefined || !stream.wants('decision.recorded')) return []
    const stored = row.details as StoredDecisions
    const seen = seesWholeTenant(actor) ? 'all' : await visibleAgents(db, actor, Object.keys(stored.byAgent))
    const wanted = wantedOf(stored, options.decisions, seen)
    const taken = stream.window.take(row.id, wanted)
    const caller = seesWholeTenant(actor) ? 'all' : `${actor.userId} ${actor.key?.id ?? ''}`
    const key = `${row.id} ${caller} ${taken.map(({ decisionId }) => decisionId).join()}`
    const decisions = await remembered(read, key, () => readForStream(db, actor, taken))
    return decisions.map((decision) => textOf(row, decision))
  }
}

function remembered<K, V>(known: Map<K, V>, key: K, find: () => V): V {
  const value = known.get(key) ?? find()
  known.set(key, value)
  return value
}

function textOf(row: EventRow, decision: Decision): string {
  const { decision_id, received_at, agent, environment_id } = decision
  const id = `${row.id}.${decision_id}`
  return eventText('decision.recorded', id, {
    id,
    type: 'decision.recorded',
    at: received_at,
    resource: { type: 'decision', id: decision_id },
    agent_id: agent.id,
    ...(environment_id && { environment_id }),
    decision,
  })
}
