import { verify } from 'node:crypto'
import { reportExamples } from '@mandate/contract/examples/reports'
import type { Report } from '@mandate/contract/reports/reports'
import { canonicalJson } from '@mandate/proofs/canonical'
import { expect, it } from 'vitest'
import { loadSigningKey, newSigningKeyPem } from '../../../security/signing-key.ts'
import { proveReport } from './prove-report.ts'
import { renderReport } from './report-page.ts'

const report = reportExamples.getReport?.response as Report
const { snapshot } = report
if (!snapshot) throw new Error('the example of a report is without its snapshot')

const key = loadSigningKey({ signingKey: newSigningKeyPem(), previousSigningKeys: [] })
const printable = { title: report.title, created_at: report.created_at, snapshot }
const proof = proveReport(printable, key)
const page = renderReport(printable, proof)
const rowsOf = (heading: string) => page.split(`<h2>${heading}</h2>`)[1]?.split('</table>')[0] ?? ''

it('names policies, in approvals and in drift, and shows no id of one in the report', () => {
  const [policy] = snapshot.policies
  expect(rowsOf('Approvals of record')).toContain(`<td>${policy?.name}, version 2</td>`)
  expect(rowsOf('Drift')).toContain(`<td>${policy?.name}, version`)
  expect(page).not.toContain(policy?.id)
})

it('names the owner of each agent, or says "nobody" or "not known"', () => {
  expect(rowsOf('Agents')).toContain('<td>Ada Lovelace (ada@example.com)</td>')
  const [agent] = snapshot.agents
  const shownFor = (owner: null | undefined) =>
    renderReport({ ...printable, snapshot: { ...snapshot, agents: [{ ...agent!, owner }] } }, proof)
  expect(shownFor(null)).toContain('<td>nobody</td>')
  expect(shownFor(undefined)).toContain('<td>not known</td>')
})

it('shows the id of a policy that is not in the report, and says so', () => {
  const elsewhere = { ...printable, snapshot: { ...snapshot, policies: [], agents: [] } }
  expect(renderReport(elsewhere, proof)).toContain(
    `policy ${snapshot.policies[0]?.id}, which is not in this report, version 2`,
  )
})

it('shows exact times in a readable form, with the time zone', () => {
  const text = page.replaceAll(/datetime="[^"]*"/g, '')
  expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/)
  expect(text).toMatch(/\d\d? [A-Z][a-z]+ \d{4}, \d\d:\d\d:\d\d UTC/)
})

it('breaks words only where they are longer than a line, and hashes anywhere', () => {
  expect(page).toContain('vertical-align: top; overflow-wrap: break-word')
  expect(page.match(/overflow-wrap: anywhere/g)).toHaveLength(1)
  expect(page).toContain('code { overflow-wrap: anywhere')
  expect(rowsOf('Policies')).toContain(`<code>${snapshot.policies[0]?.content_hash}</code>`)
})

it('shows the digest of the JSON form and a valid signature, and another digest for another report', () => {
  for (const shown of [proof.digest, key.kid]) expect(page).toContain(`<code>${shown}</code>`)
  const signed = Buffer.from(canonicalJson({ digest: proof.digest, purpose: 'report' }))
  expect(verify(null, signed, key.publicKeyPem, Buffer.from(proof.signature, 'base64'))).toBe(true)
  expect(proveReport({ ...printable, title: 'Another' }, key).digest).not.toBe(proof.digest)
})

it('says in which period what happened, who made the report, and who approved which policy version when', () => {
  expect(page).toContain('The period is from <time datetime="2026-02-01T00:00:00.000Z">1 Feb 2026, 00:00:00 UTC</time>')
  expect(page).toContain('Made by Ada Lovelace (ada@example.com).')
  const approvals = rowsOf('Approvals of record')
  for (const cell of ['Files, version 2', 'Ada Lovelace (ada@example.com)', '2 Feb 2026, 10:00:00 UTC'])
    expect(approvals).toContain(`<td>${cell}</td>`)
  expect(rowsOf('What people decided about these agents in the period')).toContain(
    '<td>approved the onboarding review</td>',
  )
  expect(rowsOf('Calls that edges decided in the period')).toContain('<td>412</td><td>3</td><td>7</td>')
})

it('says what is wrong in words, not by the type of the finding', () => {
  expect(rowsOf('Open findings')).toContain('<td>The agent runs a policy that nobody approved</td>')
  expect(page).not.toContain('policy_drift_unapproved')
})

it('shows a report of an earlier version, which has no period', () => {
  const { period, made_by, decisions, events, ...earlier } = snapshot
  const { decisions: _calls, events: _acts, ...counts } = snapshot.counts
  const shown = renderReport({ ...printable, snapshot: { ...earlier, counts } }, proof)
  expect(shown).toContain('<h2>Approvals of record</h2>')
  expect(shown).not.toContain('period')
})
