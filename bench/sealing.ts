import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { pino } from 'pino'
import { entryHash } from '../packages/proofs/src/audit-chain.ts'
import { authenticateWaiting } from '../packages/server/src/audit/authenticate-waiting.ts'
import { sealPending } from '../packages/server/src/audit/seal-pending.ts'
import { Database } from '../packages/server/src/db/database.ts'
import { entryKeysOf } from '../packages/server/src/security/entry-keys.ts'
import { loadSigningKey, newSigningKeyPem } from '../packages/server/src/security/signing-key.ts'
import { startDatabase } from './servers/real-server.ts'

// Measures how many audit entries are sealed per second: first in a new trail, then in a trail with the same number of sealed entries
// and analyzed tables. Also measures the CPU time of an entry's MAC. `node bench/sealing.ts [entries]`

const entries = Number(process.argv[2] ?? 120_000)
const log = pino({ base: null, timestamp: false })
const database = await startDatabase()
const owner = new pg.Client({ connectionString: database.embedded.ownerUrl })
await owner.connect()
const db = new Database({ url: database.embedded.appUrl })
const entryKeys = entryKeysOf(randomBytes(32).toString('hex'), [])
const keys = { signingKey: loadSigningKey({ signingKey: newSigningKeyPem(), previousSigningKeys: [] }), entryKeys }

async function fill(tenantId: string, count: number): Promise<void> {
  await owner.query(
    `with e as (insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email,
         resource_type, resource_id, resource_name, agent_id, details, request_id, ip, user_agent, created_at)
       select $1, ('ff' || substr(gen_random_uuid()::text, 3))::uuid, 'control_plane', 'agent.created', 'agent', 'person', 'Ada',
         'ada@example.com', 'agent', gen_random_uuid(), 'agent ' || n, gen_random_uuid(),
         jsonb_build_object('environment_id', gen_random_uuid(), 'policy_id', null, 'lifecycle_status', 'proposed'),
         gen_random_uuid()::text, '192.0.2.1', 'bench', now()
       from generate_series(1, $2) n returning id)
     insert into audit_unsealed (tenant_id, entry_id) select $1, id from e`,
    [tenantId, count],
  )
  const started = performance.now()
  await authenticateWaiting(owner, entryKeys)
  log.info(
    { entries: count, ms: Math.round(performance.now() - started) },
    'MACs of waiting entries, as at the upgrade',
  )
  await owner.query('analyze audit_entries, audit_seals, audit_unsealed')
}

async function sealAll(title: string): Promise<void> {
  const started = performance.now()
  let sealed = 0
  for (let hasMore = true; hasMore; ) {
    const pass = await sealPending(db, keys, new Date().toISOString())
    sealed += pass.entries
    hasMore = pass.hasMore
  }
  const perSecond = Math.round((sealed / (performance.now() - started)) * 1000)
  log.info({ sealed, per_second: perSecond }, title)
}

function measureMac(): void {
  const entry = {
    tenant_id: '01900000-0000-7000-8000-000000000001',
    category: 'agent',
    id: '01900000-0000-7000-8000-000000000002',
    source: 'control_plane' as const,
    event_type: 'agent.created',
    outcome: 'success',
    actor: { type: 'api_key', user_id: '01900000-0000-7000-8000-000000000003', name: 'Ada', email: 'ada@example.com' },
    api_key: { id: '01900000-0000-7000-8000-000000000004', prefix: 'mk_abcde', name: 'ci' },
    resource: { type: 'agent', id: '01900000-0000-7000-8000-000000000005', name: 'clerk' },
    agent_id: '01900000-0000-7000-8000-000000000005',
    environment_id: '01900000-0000-7000-8000-000000000006',
    details: { environment_id: '01900000-0000-7000-8000-000000000006', policy_id: null, lifecycle_status: 'proposed' },
    request_id: '4c2d0c0e-7f6c-4f57-8f1e-0f2f3a1f5a0e',
    ip: '192.0.2.1',
    user_agent: 'bench',
    created_at: '2026-01-02T03:04:05.006Z',
  }
  const rounds = 100_000
  for (let n = 0; n < rounds; n++) entryKeys.mac(entryHash(entry))
  const before = process.cpuUsage()
  for (let n = 0; n < rounds; n++) entryKeys.mac(entryHash(entry))
  const { user, system } = process.cpuUsage(before)
  log.info({ microseconds: Math.round(((user + system) / rounds) * 10) / 10 }, 'the MAC of an entry')
}

try {
  measureMac()
  const tenantId = '01900000-0000-7000-8000-000000000001'
  await fill(tenantId, entries)
  await sealAll('a new trail')
  await fill(tenantId, entries)
  await sealAll('a trail with as many sealed entries')
} finally {
  await db.close()
  await owner.end()
  await database.stop()
}
