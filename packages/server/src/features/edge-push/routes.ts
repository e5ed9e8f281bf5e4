import { edgeEndpoints } from '@mandate/contract/edge'
import { edgePushEndpoints as endpoints } from '@mandate/contract/edge-push'
import { bearerToken } from '../../caller/bearer-token.ts'
import { eventStream, on, type Route } from '../../http/routes/route.ts'
import { invalidKey } from '../../refusal.ts'
import { acceptHeartbeat } from '../edge/heartbeats/accept-heartbeat.ts'
import { carryHere } from './carry-agents.ts'
import { getProfiles } from './get-profiles.ts'
import { streamToEdge } from './stream-to-edge.ts'

export const edgePushRoutes: readonly Route[] = [
  on(endpoints.streamToEdge, async (ctx, { query, headers: { authorization } }) => {
    const token = bearerToken(authorization)
    if (token === null) throw invalidKey()
    const stream = await streamToEdge(ctx, token.digestBytes, query.instance_id)
    return eventStream(stream)
  }),
  on(edgeEndpoints.sendHeartbeat, async (ctx, { body }) => {
    const answer = await acceptHeartbeat(ctx, body)
    const agents = answer.agents.map(({ agent_id, profile_hash }) => [agent_id, profile_hash] as const)
    await carryHere(ctx, body.instance_id, agents)
    return answer
  }),
  on(endpoints.getMissionProfiles, (ctx, { body }) => getProfiles(ctx, body)),
]
