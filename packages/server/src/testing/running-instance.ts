import { expect } from 'vitest'
import type { ApiClient } from './api-client.ts'
import type { TestServer } from './start-test-server.ts'

let beatNumber = 0

/** Sends a heartbeat of an instance about agents, with the credential of `api`. Returns the body of the response. */
export async function beat(api: ApiClient, instance_id: string, ...agents: string[]) {
  const sent = { instance_id, seq: ++beatNumber, edge_version: '1', agents: agents.map((agent_id) => ({ agent_id })) }
  const answer = await api.post('/edge/heartbeat', sent)
  expect(answer.status).toBe(200)
  return answer.body
}

/** Makes an instance and its edge silent: moves their last heartbeat back by an hour. */
export async function silence(server: TestServer, tenantId: string, instance: string): Promise<void> {
  await server.owner.query(
    `with quiet as (update edge_instances set seen_at = now() - interval '1 hour' where tenant_id = $1 and instance_id = $2
       returning credential_id)
     update edges set last_heartbeat_at = now() - interval '1 hour' where tenant_id = $1 and id in (select credential_id from quiet)`,
    [tenantId, instance],
  )
}
