import { appendFile, stat } from 'node:fs/promises'
import { edgeEndpoints } from '@mandate/contract/edge'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { DecisionRecord } from './spool.ts'

/**
 * The file for decision records that the control plane will never accept, with one record per line. `maxBytes` is the maximum
 * size of the file.
 */
export interface Refusals {
  file: string
  maxBytes: number
}

/**
 * Sends decisions. The control plane stores each decision once, even if it is sent twice. Some decisions are refused
 * permanently, for example those of an agent that the edge no longer serves. They are moved to a separate file, so that they
 * do not block other decisions.
 * @throws ControlPlaneAway, and the errors of the disk
 */
export async function sendDecisions(
  plane: ControlPlane,
  decisions: readonly DecisionRecord[],
  refusals: Refusals,
  log: Logger,
): Promise<void> {
  if (decisions.length === 0) return
  try {
    const asked = { method: 'POST', path: '/edge/decisions', body: { decisions }, timeoutMs: 30_000 } as const
    const { success } = edgeEndpoints.recordDecisions.answers[202].safeParse((await plane.ask(asked)).body)
    // A proxy may answer with a 2xx status while the control plane cannot be reached. So the body of the answer is checked too.
    if (!success) throw new ControlPlaneAway('the control plane sent an invalid response to a report of decisions')
  } catch (error) {
    if (!(error instanceof ControlPlaneRefused)) throw error
    // The control plane refused the key of the edge, not the decisions. They are kept and sent again, because the key may be
    // renewed.
    if (error.status === 401 || error.status === 403) throw new ControlPlaneAway(error.message)
    const parts = smallerParts(decisions)
    if (parts.length === 1) return await putAside(decisions, refusals, error.message, log)
    for (const part of parts) await sendDecisions(plane, part, refusals, log)
  }
}

/**
 * Splits a batch of decisions that the control plane refused, to find the decisions that cause the refusal. Splits by agent
 * first, because the control plane may refuse all decisions of an agent. Splits the decisions of a single agent into halves.
 */
function smallerParts(decisions: readonly DecisionRecord[]): (readonly DecisionRecord[])[] {
  const byAgent = [...Map.groupBy(decisions, ({ agent_id }) => agent_id).values()]
  if (byAgent.length > 1 || decisions.length === 1) return byAgent
  const middle = Math.ceil(decisions.length / 2)
  return [decisions.slice(0, middle), decisions.slice(middle)]
}

async function putAside(
  decisions: readonly DecisionRecord[],
  { file, maxBytes }: Refusals,
  reason: string,
  log: Logger,
): Promise<void> {
  const lines = decisions.map((decision) => `${JSON.stringify({ refused: reason, decision })}\n`).join('')
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size + lines.length > maxBytes) throw new ControlPlaneAway(`${file} is full of refused decisions: move it away`)
  await appendFile(file, lines, { mode: 0o600, flush: true })
  log.error(
    { reason, decisions: decisions.length, file },
    'the control plane refused decisions; they were moved to a file and are not sent again',
  )
}
