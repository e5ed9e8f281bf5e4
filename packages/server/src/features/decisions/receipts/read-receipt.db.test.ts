import { randomUUID } from 'node:crypto'
import { chainHash, recordDigest } from '@mandate/proofs/decision-chain'
import { verifyReceipt } from '@mandate/proofs/decision-receipt'
import { v7 } from 'uuid'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge, addPolicy } from '../../../testing/arrange-agents.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { hashOf, SigningEdge } from '../../../testing/signing-edge.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { rebuildRecord } from './rebuild-record.ts'
import { findStoredRecord } from './receipt-queries.ts'

const server = useTestServer()
let tenant: TestTenant
let agentId: string
let edge: SigningEdge

beforeEach(async () => {
  tenant = await createTenant(server)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  edge = await SigningEdge.start(await addEdge(server, tenant.id, tenant.development))
})

const decision = (rest: object = {}) => newDecision(agentId, rest)
const decisions = (count: number) => Array.from({ length: count }, () => decision())

async function accept(sent: Promise<{ status: number; body: object }>, more: object = {}) {
  expect(await sent).toMatchObject({ status: 202, body: { refused: [], ...more } })
}

const receiptOf = (id: string, api = tenant.owner.api) => api.get(`/decisions/${id}/receipt`)

async function verified(id: string) {
  const { status, body } = await receiptOf(id)
  expect({ status, body }).toMatchObject({ status: 200 })
  const options = { tenantId: tenant.id, decisionId: id }
  const verdict = verifyReceipt(body, [server.services.signingKey.publicKeyPem], options)
  expect(verdict.fault).toBeUndefined()
  return { receipt: body, proved: verdict.proved }
}

/** A new day begins for the key: its next batch is anchored. */
const nextDay = () =>
  server.owner.query(`update edge_keys set anchored_day = anchored_day - interval '1 day' where tenant_id = $1`, [
    tenant.id,
  ])

describe('GET /decisions/{decision_id}/receipt', () => {
  it('200: the record as it was sent, its policy, and the links between the anchors', async () => {
    const policy = await addPolicy(server, tenant.id)
    const named = decision({ policy_id: policy.id, policy_version: 1, policy_hash: policy.hash })
    const [first, second] = [edge.chain(...decisions(2)), edge.chain(named, ...decisions(2))]
    await accept(edge.send(...first))
    await accept(edge.send(...second))
    await nextDay()
    const third = edge.chain(...decisions(2))
    await accept(edge.send(...third))
    await accept(edge.record(decision()))

    const { receipt, proved } = await verified(named.decision_id)
    expect(receipt.record).toEqual(second[0])
    expect(receipt.policy).toEqual({ id: policy.id, version: 1, content_hash: policy.hash })
    expect(receipt.links.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4, 5, 6, 7])
    expect(receipt.links.map(({ signature }: { signature?: string }) => signature !== undefined)).toEqual([
      ...[false, false, true],
      ...[false, true],
    ])
    expect(receipt.start).toEqual({ seq: 2, hash: hashOf(first[1]!) })
    const entries = await server.owner.query(
      `select id, details from audit_entries where tenant_id = $1 and event_type = 'edge.decisions_anchored' order by id`,
      [tenant.id],
    )
    const [one, two] = entries.rows.map(({ id, details: { seq, hash } }) => ({ seq, hash, entry_id: id }))
    expect([receipt.previous_anchor, receipt.next_anchor]).toEqual([one, two])
    expect(proved).toMatchObject({ kid: edge.kid, seq: 3, links: 5, next_anchor: two })
  })

  it('200: before the next anchor, the links go to the end of the batch that has the record', async () => {
    await accept(edge.record(...decisions(2)))
    const chained = edge.chain(...decisions(4))
    await accept(edge.send(...chained))
    await accept(edge.record(decision()))
    const { receipt } = await verified(String(chained[1]?.decision_id))
    expect(receipt.next_anchor).toBeNull()
    expect(receipt.previous_anchor.seq).toBe(2)
    expect(receipt.links.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4, 5, 6])
  })

  it('200: a record at an anchor is proved by this anchor', async () => {
    const [record] = edge.chain(decision())
    await accept(edge.send(record!))
    const { receipt } = await verified(String(record?.decision_id))
    expect(receipt).toMatchObject({ previous_anchor: null, next_anchor: { seq: 1 }, start: { seq: 0 } })
  })

  it('answers with a file, and answers the receipt of the decision for the id of its result record', async () => {
    const first = decision()
    const result = decision({ of: first.decision_id, content: [contentMatch] })
    await accept(edge.record(first, result))
    const headers = { authorization: `Bearer ${tenant.owner.accessToken}` }
    const response = await fetch(`${server.url}/api/v1/decisions/${first.decision_id}/receipt`, { headers })
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="decision-${first.decision_id}.json"`,
    )
    expect((await receiptOf(result.decision_id)).body).toEqual(await response.json())
  })

  it('the record stays as it was sent after its result arrived', async () => {
    const first = decision({ content: [contentMatch], labels: ['a'] })
    await accept(edge.record(first))
    await accept(edge.record(decision({ of: first.decision_id, content: [contentMatch], labels: ['a', 'b'] })))
    const { receipt } = await verified(first.decision_id)
    expect(receipt.record).toMatchObject({ content: [contentMatch], labels: ['a'] })
    const { body } = await tenant.owner.api.get(`/decisions/${first.decision_id}`)
    expect(body).toMatchObject({ content: [contentMatch, contentMatch], labels: ['a', 'b'] })
  })

  it('contains refused and expired records, and records that were stored unsigned before, by their hashes', async () => {
    const unsigned = decision()
    await edge.api.post('/edge/decisions', { decisions: [unsigned] })
    const kept = decision()
    const old = new Date(Date.now() - 100 * 86_400_000).toISOString()
    const sent = edge.record(
      decision({ agent_id: randomUUID() }),
      unsigned,
      kept,
      decision({ at: old }),
      decision({ tool: '' }),
      decision(),
    )
    expect(await sent).toMatchObject({ status: 202, body: { accepted: 2, duplicates: 1, expired: 1 } })
    expect((await verified(kept.decision_id)).proved).toMatchObject({ seq: 3, links: 6 })
    expect(await receiptOf(unsigned.decision_id)).toMatchObject({
      status: 409,
      body: { error: 'this decision is unsigned' },
    })
  })

  it('after a fork, each branch has the receipts of its records', async () => {
    const [a1, a2, a3, a4] = edge.chain(...decisions(4)) as [Chained, Chained, Chained, Chained]
    await accept(edge.send(a1, a2))
    await nextDay()
    await accept(edge.send(a3, a4))
    edge.head = { seq: 2, hash: hashOf(a2) }
    const [b3, b4, b5] = edge.chain(...decisions(3)) as [Chained, Chained, Chained]
    await nextDay()
    await nextDay()
    await accept(edge.send(b3, b4))
    await accept(edge.send(b5))
    for (const [record, branch] of [
      [a3, a4],
      [b3, b4],
    ] as const) {
      const { receipt } = await verified(String(record.decision_id))
      expect(receipt.previous_anchor.hash).toBe(hashOf(a2))
      expect(receipt.next_anchor.hash).toBe(hashOf(branch))
    }
    expect((await verified(String(b5.decision_id))).receipt).toMatchObject({
      previous_anchor: { hash: hashOf(b4) },
      next_anchor: null,
    })
    expect((await verified(String(a1.decision_id))).receipt.next_anchor.hash).toBe(hashOf(a2))
  })

  it('begins after records that have expired or never arrived', async () => {
    await accept(edge.record(...decisions(2)))
    edge.chain(...decisions(2))
    const later = edge.chain(...decisions(3))
    await accept(edge.send(...later))
    const { receipt } = await verified(String(later[1]?.decision_id))
    expect(receipt).toMatchObject({ previous_anchor: null, start: { seq: 4, hash: later[0]?.prev } })
    const gone = `delete from decision_records where tenant_id = $1 and seq = 5`
    await server.owner.query(gone, [tenant.id])
    expect((await verified(String(later[1]?.decision_id))).receipt.start.seq).toBe(5)
  })

  it('finds records that were filed long before or after', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    const at = (days: number) => {
      const time = daysAgo(days)
      return decision({ at: time.toISOString(), decision_id: v7({ msecs: time.getTime() }) })
    }
    const [first, middle, last] = [at(80), at(40), at(1)]
    await accept(edge.record(first, middle))
    await nextDay()
    await accept(edge.record(last))
    expect((await verified(middle.decision_id)).receipt).toMatchObject({
      previous_anchor: null,
      next_anchor: { seq: 2 },
    })
    expect((await verified(middle.decision_id)).receipt.links).toHaveLength(2)
    const sleepy = [at(70), at(60), at(2)]
    const other = await SigningEdge.start(edge.api)
    await accept(other.record(sleepy[0]!))
    await accept(other.record(sleepy[1]!))
    await nextDay()
    await accept(other.record(sleepy[2]!))
    expect((await verified(sleepy[1]!.decision_id)).receipt).toMatchObject({
      previous_anchor: { seq: 1 },
      next_anchor: { seq: 3 },
    })
  })

  it('409 if there are too many records between the anchors', async () => {
    const first = decision()
    await accept(edge.record(first))
    const second = decision()
    await accept(edge.record(second))
    const { seq, hash } = edge.head
    await fillChain(100_000, { seq, hash })
    const { rows } = await server.owner.query(
      `select encode(record_hash, 'hex') as hash from decision_links where tenant_id = $1 and seq = 100002`,
      [tenant.id],
    )
    const anchor = `insert into decision_anchors (tenant_id, kid, seq, hash, day, entry_id) values ($1, $2, $3, decode($4, 'hex'), now(), $5)`
    await server.owner.query(anchor, [tenant.id, edge.kid, 100_002, rows[0].hash, randomUUID()])
    expect(await receiptOf(second.decision_id)).toMatchObject({
      status: 409,
      body: { error: 'a receipt has at most 100,000 records, and there are more between the anchors of this decision' },
    })
    expect((await receiptOf(first.decision_id)).status).toBe(200)
  })

  it('a caller gets the receipts of the decisions that they see', async () => {
    const { decision_id: id } = edge.chain(decision())[0]!
    edge.head = { seq: 0, hash: '0'.repeat(64) }
    await accept(edge.record({ ...decision(), decision_id: id }))
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const { api: bound } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const { api: own } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const stranger = await createTenant(server)
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    for (const api of [scoped.api, bound, stranger.owner.api]) {
      expect(await receiptOf(String(id), api)).toMatchObject({ status: 404, body: { error: 'decision not found' } })
    }
    await grantAgent(server, tenant.id, scoped.id, agentId)
    for (const api of [scoped.api, own]) expect((await receiptOf(String(id), api)).status).toBe(200)
    expect((await receiptOf(randomUUID())).status).toBe(404)
  })
})

type Chained = ReturnType<SigningEdge['chain']>[number]

const contentMatch = { pattern_id: randomUUID(), on: 'results', count: 2, action: 'flag' }

describe('the record of a receipt', () => {
  const optional = {
    rule_id: randomUUID(),
    policy_id: randomUUID(),
    policy_hash: 'ab'.repeat(32),
    content_version: 3,
    session_id: 'sitzung “1”',
    approval_id: randomUUID(),
    duration_us: 0,
    labels: ['a', 'ü'],
    content: [contentMatch],
    on_behalf_of: 'Ada',
    chain: [{ type: 'user', id: 'u', name: 'Ada' }],
    threat: { indicator_id: randomUUID(), type: 'domain', where: 'arguments', action: 'alert' },
    profile: { hash: 'cd'.repeat(32), seq: 0 },
    denied_because: 'frozen',
    of: randomUUID(),
  }
  const names = Object.keys(optional) as (keyof typeof optional)[]
  const only = (chosen: readonly string[]) =>
    Object.fromEntries(names.filter((name) => chosen.includes(name)).map((name) => [name, optional[name]]))

  /** The digest of the record that the server returns must be the digest of the record that was sent. */
  async function expectSame(sent: object[]) {
    for (let from = 0; from < sent.length; from += 1000) await accept(edge.record(...sent.slice(from, from + 1000)))
    const { rows } = await server.owner.query(
      `select decision_id as "decisionId", retention_days as "retentionDays", filed_at as "filedAt"
       from decision_records where tenant_id = $1 order by seq`,
      [tenant.id],
    )
    expect(rows).toHaveLength(sent.length)
    const faults: object[] = []
    const db = server.services.db.reader(tenant.id)
    for (const key of rows) {
      const stored = await findStoredRecord(db, key)
      const record = stored && rebuildRecord(stored)
      if (!stored || !record) throw new Error('the record is not stored')
      const digest = recordDigest(record)
      if (stored.digest !== digest || stored.hash !== chainHash({ ...stored, digest })) faults.push(record)
    }
    expect(faults).toEqual([])
  }

  it('has the signed digest whichever optional fields it has', async () => {
    // Each pair of fields is present, and absent, with the others absent and present.
    const pairs = names.flatMap((one, n) =>
      names.slice(n).flatMap((other) => [[one, other], names.filter((name) => name !== one && name !== other)]),
    )
    // These fields share a column, so each combination of them is tested.
    const shared = ['content_version', 'labels', 'content', 'chain', 'threat', 'profile', 'denied_because']
    const combinations = Array.from({ length: 2 ** shared.length }, (_, bits) =>
      shared.filter((_, n) => bits & (1 << n)),
    )
    const sets = [[], names, ...pairs, ...combinations]
    expect(sets.length).toBeGreaterThan(250)
    await expectSame(sets.map((chosen) => decision(only(chosen))))
  })

  it('has the signed digest for fields that are not in the normal form', async () => {
    const upper = { agent_id: agentId.toUpperCase(), decision_id: v7().toUpperCase() }
    await expectSame([
      decision(upper),
      decision({ at: new Date().toISOString().replace('Z', '+00:00') }),
      decision({ at: `${new Date().toISOString().slice(0, 19)}.1234567Z` }),
      decision({ later: { field: [1, 'two', null] }, ['__proto__']: 1 }),
      decision({ content: [{ ...contentMatch, later: 1 }], labels: [], chain: [] }),
      decision({ threat: { action: 'alert', where: 'x', type: 'y', indicator_id: randomUUID() } }),
      decision({ policy_version: 7, duration_us: 86_400_000_000, decision_id: randomUUID() }),
    ])
  })
})

/** Appends records to the chain in the database. */
async function fillChain(count: number, { seq, hash }: { seq: number; hash: string }): Promise<void> {
  const rows: { seq: number; hash: string; prev: string; digest: string }[] = []
  const digest = 'ee'.repeat(32)
  for (let prev = hash, n = seq + 1; n <= seq + count; n++) {
    const next = chainHash({ prev, seq: n, digest })
    rows.push({ seq: n, hash: next, prev, digest })
    prev = next
  }
  const text = `insert into decision_links (tenant_id, kid, seq, record_hash, prev_hash, record_digest, received_at)
    select $1, $2, x.seq, decode(x.hash, 'hex'), decode(x.prev, 'hex'), decode($3, 'hex'), now()
    from unnest($4::bigint[], $5::text[], $6::text[]) as x (seq, hash, prev)`
  const values = [rows.map(({ seq }) => seq), rows.map(({ hash }) => hash), rows.map(({ prev }) => prev)]
  await server.owner.query(text, [tenant.id, edge.kid, digest, ...values])
}
