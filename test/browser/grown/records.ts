import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Organization } from '../tenant.ts'
import { until } from './events.ts'
import type { Fleet } from './fleet.ts'
import type { People } from './people.ts'

const main = join(import.meta.dirname, '../../../packages/cli/src/main.ts')
const dayMs = 86_400_000

/** Runs the operator's command that changes the plan of an organization. `dataFolder` is the data folder of the server. */
export async function setPlan(organization: Organization, plan: string, dataFolder: string): Promise<void> {
  const env = { ...process.env, DATA_DIR: dataFolder }
  await promisify(execFile)(process.execPath, [main, 'operator', 'set-plan', organization.id, plan], { env })
}

/** API keys, a connected platform, reports, and a verified audit trail. Returns the id of the report. */
export async function createRecords({ api }: Organization, people: People, fleet: Fleet): Promise<string> {
  const { development, production, staging } = fleet.environments
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
  await api.call('createApiKey', { body: { name: 'ci-release', environment_id: development, expires_at: inDays(60) } })
  await api.call('createApiKey', { body: { name: 'policy-sync', scopes: ['policies:*', 'agents:read'] } })
  await people.petra.api.call('createApiKey', {
    body: { name: 'nightly-export', scopes: ['audit:read'], expires_at: inDays(5) },
  })
  const { id: key_id } = await people.jonas.api.call('createApiKey', {
    body: { name: 'old laptop', environment_id: staging },
  })
  await api.call('revokeApiKey', { path: { key_id } })
  await api.call('connectPlatform', { body: { kind: 'salesforce', name: 'Sales cloud' } })
  const { id } = await api.call('createReport', { body: { title: 'Quarterly review of production agents' } })
  await people.jonas.api.call('createReport', { body: { title: 'Production, November', environment_id: production } })
  const report = { report_id: id }
  await until('the report', async () => (await api.call('getReport', { path: report })).status === 'ready')
  await api.call('shareReport', { path: report, body: { expires_at: inDays(30) } })
  await api.call('startAuditVerification', {})
  await until('the verification', async () => (await api.call('getAuditProof')).last_verification !== null)
  return id
}
