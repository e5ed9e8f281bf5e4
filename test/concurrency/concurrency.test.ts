import type pg from 'pg'
import { expect, test } from 'vitest'
import { startMandate, temporaryFolder } from '../acceptance/mandate-process.ts'
import { breaks } from '../invariants/breaks.ts'
import { findBroken, withOwner } from '../invariants/find-broken.ts'
import { invariants } from '../invariants/invariants.ts'
import { type Storm, unleash } from './storm.ts'
import { makeWorld, must, type RoundWorld } from './world.ts'

const rounds = Number(process.env.ROUNDS ?? 200)
const secondsARound = 30

test(
  'concurrent saves, heartbeats, resolutions and archivals break no invariant and lose no acknowledged save',
  async () => {
    const server = await startMandate({
      DATA_DIR: await temporaryFolder(),
      MANDATE_API_RATE: '1000000000',
      MANDATE_EDGE_RATE: '1000000000',
      MANDATE_UNAUTHENTICATED_PER_CLIENT: '1000000',
      MANDATE_AUTH_THROTTLE: 'off',
    })
    for (let round = 1; round <= rounds; round++) {
      const world = await makeWorld(server, { edges: 50, agents: 12 })
      const storm = await unleash(server, world)
      expect(storm.unexpected).toEqual([])
      expect(storm.resolutionsWon.filter((won) => won > 1)).toEqual([])
      await withOwner(server.dataDir, async (client) => {
        expect(await findBroken(client, world.tenantId)).toEqual({})
        expect(await savesLost(client, world, storm)).toEqual([])
        expect(await wronglyFound(client, world)).toEqual([])
      })
      const verdict = await must(server, 200, 'GET', '/audit/verify', { credential: world.key })
      expect(verdict).toMatchObject({ valid: true })
      if (round % 10 === 0) console.log(`round ${round} of ${rounds}: ${storm.saves.length} saves, all kept`)
    }
    expect(await server.stop()).toMatchObject({ code: 0 })
  },
  rounds * secondsARound * 1000,
)

test('each invariant finds the change that breaks it', async () => {
  const server = await startMandate({ DATA_DIR: await temporaryFolder(), MANDATE_API_RATE: '1000000000' })
  const world = await makeWorld(server, { edges: 2, agents: 6 })
  await unleash(server, world)
  expect(Object.keys(breaks)).toEqual(Object.keys(invariants))
  await withOwner(server.dataDir, async (client) => {
    // Two constraints would reject some of the changes, so they are dropped first.
    await client.query('drop index findings_one_open, reviews_one_pending')
    for (const [sentence, change] of Object.entries(breaks)) {
      await client.query('begin')
      await client.query(change, [world.tenantId])
      expect(Object.keys(await findBroken(client, world.tenantId))).toContain(sentence)
      await client.query('rollback')
      expect(await findBroken(client, world.tenantId)).toEqual({})
    }
  })
}, 60_000)

/** Acknowledged saves whose version is missing, or does not contain the saved text. */
async function savesLost(client: pg.Client, { tenantId, policies }: RoundWorld, { saves }: Storm) {
  const { rows } = await client.query(
    'select version, snapshot::text from policy_versions where tenant_id = $1 and policy_id = $2',
    [tenantId, policies.saved],
  )
  const kept = new Map<number, string>(rows.map(({ version, snapshot }) => [version, snapshot]))
  return saves.filter(({ version, mark }) => !kept.get(version)?.includes(`"${mark}"`))
}

/** Agents whose drift finding is open without drift, or missing despite drift. */
async function wronglyFound(client: pg.Client, { tenantId }: RoundWorld) {
  const { rows } = await client.query(
    `select a.id, a.approved_hash, r.running_hash, f.id as finding
     from agents a join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
     left join findings f on f.tenant_id = a.tenant_id and f.agent_id = a.id and f.status = 'open'
       and f.type = 'policy_drift_unapproved'
     where a.tenant_id = $1 and a.approved_hash is not null and r.running_hash is not null
       and (f.id is not null) <> ((a.approved_policy_id, a.approved_hash) is distinct from (r.running_policy_id, r.running_hash))`,
    [tenantId],
  )
  return rows
}
