import type { Report, ReportSnapshot, SharedReport } from '@mandate/contract/reports'
import { escapeHtml, pageHeaders as headersOf } from '../../http/html.ts'
import { readableTime } from '../../readable-time.ts'
import type { ReportProof } from './prove-report.ts'

export type Printable = SharedReport

/** A report as one printable page. It has no script and loads nothing, and every value is escaped. */
export function renderReport({ title, created_at, snapshot }: Printable, proof: ReportProof): string {
  const policyAt = policiesByName(snapshot)
  const { organization, environment, counts } = snapshot
  const scope = environment ? `${organization}, environment ${environment.name}` : organization
  const coverage = Object.entries(counts.coverage).map(([state, agents]) => `${state} ${agents}`)
  return `${head(title)}
<header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(scope)}. As of <time datetime="${escapeHtml(created_at)}">${escapeHtml(readableTime(created_at))}</time>.</p></header>
<main>
${table('Summary', [
  ['Agents', counts.agents],
  ['Policies', counts.policies],
  ['Agents with an approval of record', counts.approvals],
  ['Agents in drift', counts.drift],
  ['Execution coverage', coverage.join(', ') || 'no agents'],
  ['Open findings', counts.findings],
])}
${section(
  'Agents',
  counts.agents,
  ['Name', 'Status', 'Lifecycle', 'Mode', 'Policy', 'Last heartbeat'],
  snapshot.agents,
  (agent) => [
    agent.name,
    agent.status,
    agent.lifecycle_status,
    agent.governance_mode,
    agent.policy && `${agent.policy.name}, version ${agent.policy.version}`,
    agent.last_heartbeat_at && readableTime(agent.last_heartbeat_at),
  ],
)}
${section(
  'Policies',
  counts.policies,
  ['Name', 'Mode', 'Default', 'Version', 'Rules', 'Content hash'],
  snapshot.policies,
  (policy) => [
    policy.name,
    policy.override_mode,
    policy.default_effect,
    policy.version,
    policy.rules,
    code(policy.content_hash),
  ],
)}
${section(
  'Approvals of record',
  counts.approvals,
  ['Agent', 'Lifecycle', 'Approved policy', 'Review', 'Resolved'],
  snapshot.approvals,
  (row) => [
    row.agent_name,
    row.lifecycle_status,
    policyAt(row.approved),
    row.review && `${row.review.kind}, ${row.review.status}`,
    row.review && readableTime(row.review.resolved_at),
  ],
)}
${section('Drift', counts.drift, ['Agent', 'Approved', 'Running'], snapshot.drift, (row) => [
  row.agent_name,
  policyAt(row.approved),
  policyAt(row.running),
])}
${section('Execution coverage', counts.agents, ['Agent', 'State'], snapshot.coverage, (row) => [row.agent_name, row.state])}
${section(
  'Open findings',
  counts.findings,
  ['Agent', 'Type', 'Severity', 'Opened', 'Remediation'],
  snapshot.findings,
  (row) => [row.agent_name, row.type, row.severity, readableTime(row.opened_at), row.remediation],
)}
${proofSection(proof)}
</main>
</html>
`
}

/** The page of a report that has no snapshot. It shows the progress, or why the report failed. */
export function renderUnready({ title, progress, failure }: Report): string {
  const said =
    failure === undefined
      ? `This report is in progress: ${Math.floor(progress * 100)} % is done. Load the page again later.`
      : `This report could not be made: ${failure}.`
  return `${head(title)}
<header><h1>${escapeHtml(title)}</h1></header>
<main><p>${escapeHtml(said)}</p></main>
</html>
`
}

const head = (title: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style>${style}</style>`

type Cell = string | number | { code: string } | null | undefined

/** HTML for a hash or a signature, in which the browser may break the line at any character. */
const code = (text: string): Cell => ({ code: text })

/** Returns a function that returns the text for a policy: its name, or its id if the report does not contain the policy. */
function policiesByName({ agents, policies }: ReportSnapshot) {
  const names = new Map(policies.map(({ id, name }) => [id, name]))
  for (const { policy } of agents) if (policy) names.set(policy.id, policy.name)
  return ({ policy_id, version }: { policy_id: string; version: number | null }) =>
    `${names.get(policy_id) ?? `policy ${policy_id}, which is not in this report`}, version ${version ?? 'unknown'}`
}

const proofSection = ({ digest, signature, kid }: ReportProof) => `${table('Proof', [
  ['SHA-256', code(digest)],
  ['Signature', code(signature)],
  ['Key', code(kid)],
])}
<p>The digest is that of the RFC 8785 form of created_at, snapshot and title in the JSON form of this page. The signature is by Ed25519 over the RFC 8785
form of {"digest": …, "purpose": "report"}. The key is at /api/v1/edge/signing-key.</p>`

function section<T>(name: string, total: number, heads: string[], rows: T[], cellsOf: (row: T) => Cell[]): string {
  if (rows.length === 0) return `<h2>${name}</h2><p>None.</p>`
  const more = total > rows.length ? `<p>The newest ${rows.length} of ${total}.</p>` : ''
  return table(name, rows.map(cellsOf), heads) + more
}

function table(name: string, rows: Cell[][], heads: string[] = []): string {
  const head = heads.length > 0 ? `<thead><tr>${heads.map((text) => `<th>${text}</th>`).join('')}</tr></thead>` : ''
  const body = rows.map((cells) => `<tr>${cells.map(renderCell).join('')}</tr>`)
  return `<h2>${name}</h2><table>${head}<tbody>${body.join('')}</tbody></table>`
}

function renderCell(cell: Cell): string {
  if (cell !== null && typeof cell === 'object') return `<td><code>${escapeHtml(cell.code)}</code></td>`
  return `<td>${escapeHtml(String(cell ?? '–'))}</td>`
}

const style = `
body { font: 14px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 1.5rem; color: #111; background: #fff }
h1 { margin-bottom: 0 } h2 { margin: 2rem 0 .4rem; font-size: 1.15rem; break-after: avoid }
table { border-collapse: collapse; width: 100% } tr { break-inside: avoid } thead { display: table-header-group }
th, td { border-top: 1px solid #ccc; padding: .25rem .6rem .25rem 0; text-align: left; vertical-align: top; overflow-wrap: break-word }
code { overflow-wrap: anywhere; font-size: .8em } main { overflow-x: auto }
@media print { body { max-width: none; padding: 0; font-size: 10pt } }`

const { 'content-security-policy': policy, ...others } = headersOf(style, { formAction: "'none'" })

/** The page may use its own style sheet and nothing else. */
export const pageHeaders: Record<string, string> = { ...others, 'content-security-policy': `${policy}; sandbox` }
