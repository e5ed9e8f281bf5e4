import { createHmac, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { EdgeSession } from '@mandate/contract/edge'
import { z } from 'zod'
import type { EdgeConfig } from '../config.ts'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { protocolHint } from '../http-address.ts'
import { readJsonFile, replaceFile } from './private-files.ts'
import { StateSeal } from './state-seal.ts'

const fileOfEarlierVersions = 'own-agent.json'
const Kept = z.object({ agent_id: z.uuid(), mac: z.string() })

/**
 * Returns the agents to serve. These are the agents in the settings, or else the agent that the key belongs to. The control
 * plane says which agent that is. While the control plane cannot be reached, its last answer for this key is used.
 * @throws if neither the settings nor the control plane name an agent and no answer is stored
 */
export async function agentsToServe(
  { agentIds, key }: Pick<EdgeConfig, 'agentIds' | 'key'>,
  folder: string,
  plane: ControlPlane,
): Promise<readonly string[]> {
  if (agentIds.length > 0) return agentIds
  // Edges with other keys may share the folder, so each key has a file.
  const file = new StateSeal(key).fileIn(folder, 'own-agent')
  try {
    const { agent } = EdgeSession.parse((await plane.ask({ path: '/edge/session' })).body)
    if (!agent) throw new Error('the control plane answered that the key belongs to no agent')
    const kept = { agent_id: agent.id, mac: macOf(key, agent.id).toString('hex') }
    // The edge starts even if the file cannot be written, for example because the disk is full. The next start asks the control
    // plane again which agent the key belongs to.
    await replaceFile(file, JSON.stringify(kept)).catch(() => {})
    return [agent.id]
  } catch (error) {
    const known = (await readKept(file, key)) ?? (await readKept(join(folder, fileOfEarlierVersions), key))
    if (known !== null) return [known]
    const why = error instanceof z.ZodError ? 'the answer of the control plane is invalid' : (error as Error).message
    const remedy = protocolHint(why) ?? remedyFor(error)
    throw new Error(`cannot find out which agent the key belongs to (${why}): ${remedy}`, { cause: error })
  }
}

function remedyFor(error: unknown): string {
  if (error instanceof ControlPlaneAway)
    return 'start the edge again when the control plane can be reached, or set MANDATE_EDGE_AGENTS'
  if (error instanceof ControlPlaneRefused && error.status === 401)
    return 'the key is unknown, revoked or expired; give the edge a valid key with --key-file, MANDATE_EDGE_KEY_FILE or MANDATE_EDGE_KEY'
  return 'check MANDATE_URL and the key of the edge, or set MANDATE_EDGE_AGENTS'
}

/** Returns the stored answer, or null if nothing is stored or it was stored for another key. */
async function readKept(file: string, key: string): Promise<string | null> {
  const { data } = Kept.safeParse(await readJsonFile(file))
  if (!data) return null
  const [given, wanted] = [Buffer.from(data.mac, 'hex'), macOf(key, data.agent_id)]
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? data.agent_id : null
}

const macOf = (key: string, agentId: string) =>
  createHmac('sha256', key).update(`mandate edge own agent ${agentId}`).digest()
