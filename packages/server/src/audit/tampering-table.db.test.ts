import type { AuditVerdict } from '@mandate/contract/audit/audit'
import { type ExportVerdict, verifyExport } from '@mandate/proofs/verify-export'
import { describe, expect, it } from 'vitest'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { addEntry, sealAll } from '../testing/arrange-audit.ts'
import { type Line, type Tampering, tamperings, textOf } from '../testing/tamperings.ts'
import { useOwnServer } from '../testing/use-test-server.ts'

const server = useOwnServer()

/** Writes two more entries to a trail and seals them. */
async function addTwo(tenant: TestTenant, from: number): Promise<void> {
  for (const n of [from, from + 1]) {
    await addEntry(server, tenant.id, n === 1 ? 'tenant.created' : 'user.role_changed', { details: { n } })
  }
  await sealAll(server, tenant.id)
}

async function exported(tenant: TestTenant): Promise<string> {
  const headers = { authorization: `Bearer ${tenant.owner.accessToken}` }
  return await (await fetch(`${server.url}/api/v1/audit/export`, { headers })).text()
}
const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)

async function trail(): Promise<{ tenant: TestTenant; older: string }> {
  const tenant = await createTenant(server)
  await addTwo(tenant, 1)
  await addTwo(tenant, 3)
  const older = await exported(tenant)
  await addTwo(tenant, 5)
  return { tenant, older }
}

interface Verdicts {
  online: AuditVerdict
  ofExport: ExportVerdict
  ofFile: ExportVerdict | undefined
}

async function tamper({ database, file, isHeadNoted }: Tampering): Promise<Verdicts> {
  const [{ tenant, older }, other] = [await trail(), await trail()]
  const before = await exported(tenant)
  const given = { lines: linesOf(before), older: linesOf(older), other: linesOf(await exported(other.tenant)) }
  const { body: noted } = await tenant.owner.api.get('/audit/verify')
  const through = isHeadNoted ? noted.head : undefined
  const offline = (text: string) => {
    async function* lines() {
      yield* text.split('\n')
    }
    return verifyExport(lines(), server.services.signingKey.publicKeyPem, { through }) as Promise<ExportVerdict>
  }
  const changed = file?.(given)
  await database({ db: server.owner, id: tenant.id, otherId: other.tenant.id })
  const query = through ? `?through=${through.seq}:${through.chain_hash}` : ''
  const { status, body: online } = await tenant.owner.api.get(`/audit/verify${query}`)
  expect(status).toBe(200)
  return {
    online,
    ofExport: await offline(await exported(tenant)),
    ofFile: changed === undefined ? undefined : await offline(typeof changed === 'string' ? changed : textOf(changed)),
  }
}

const results = new Map<Tampering, Promise<Verdicts>>()
function verdictsOf(tampering: Tampering): Promise<Verdicts> {
  const found = results.get(tampering) ?? tamper(tampering)
  results.set(tampering, found)
  return found
}

const inWords = ({ valid, first_bad }: AuditVerdict) => (valid ? 'valid' : `\`${first_bad?.reason}\``)

describe('tampering with a trail', () => {
  it.each(tamperings)('gives one verdict online and offline: $title', async (tampering) => {
    const { online, ofExport, ofFile } = await verdictsOf(tampering)
    expect(ofExport).toMatchObject({
      valid: online.valid,
      ...(online.first_bad && { first_bad: { reason: online.first_bad.reason } }),
    })
    expect(ofFile?.valid).toBe(online.valid)
    expect(online.valid).toBe(tampering.isUndetectable === true)
  })

  it('docs/audit-tampering.md shows the current verdicts', async () => {
    expect(tamperings.length).toBeGreaterThan(25)
    const rows: string[] = []
    for (const tampering of tamperings) {
      const { online, ofExport, ofFile } = await verdictsOf(tampering)
      rows.push(
        `| ${tampering.title} | ${inWords(online)} | ${inWords(ofExport)} | ${ofFile ? inWords(ofFile) : '—'} |`,
      )
    }
    await expect(`${introduction}${rows.join('\n')}\n`).toMatchFileSnapshot('../../../../docs/audit-tampering.md')
  })
})

const introduction = `# Tampering with the audit trail

A test (\`packages/server/src/audit/tampering-table.db.test.ts\`) writes this table. It tampers with a trail in each of these ways and then verifies the trail. The
trail has six entries, with a checkpoint after every second entry. [audit.md](audit.md#reasons) explains the reasons.

- **Online**: the test changes the database as its superuser, and calls \`GET /audit/verify\`.
- **Export**: the test then exports the changed trail, and runs \`mandate audit verify\`.
- **File**: the test exports an intact trail, changes the file in the same way, and runs \`mandate audit verify\`.

| What is done | Online | Export | File |
|---|---|---|---|
`
