import type { FindingType } from '@mandate/contract/agents'
import type { ReportSnapshot } from '@mandate/contract/reports/report-snapshot'
import type { Report, SharedReport } from '@mandate/contract/reports/reports'
import { escapeHtml, pageHeaders as headersOf } from '../../../http/answers/html.ts'
import { exactTime } from '../../../text/readable-time.ts'
import { shownText } from '../../../text/shown-text.ts'
import { findingSentences } from '../../findings/rules.ts'
import type { ReportProof } from './prove-report.ts'

export type Printable = SharedReport

/** A report as one printable page. It has no script and loads nothing, and every value is escaped. */
export function renderReport({ title, created_at, snapshot }: Printable, proof: ReportProof): string {
  return `${head(title)}
<header><h1>${shown(title)}</h1>
<p>${shown(aboutOf(snapshot))}. The state is that of ${timeHtml(created_at)}.</p>
${snapshot.period ? `<p>The period is from ${timeHtml(snapshot.period.from)} to ${timeHtml(snapshot.period.to)}.</p>` : ''}
${snapshot.made_by ? `<p>Made by ${shown(nameOf(snapshot.made_by))}.</p>` : ''}</header>
<main>
${summary(snapshot)}
${sections(snapshot).join('\n')}
<p>Agents that were archived before the report was made are not in it.</p>
${proofSection(proof)}
</main>
</html>
`
}

const aboutOf = ({ organization, environment }: ReportSnapshot) =>
  environment ? `${organization}, environment ${environment.name}` : `${organization}, the whole organization`

const timeHtml = (at: string) => `<time datetime="${escapeHtml(at)}">${escapeHtml(exactTime(at))}</time>`

type Person = NonNullable<ReportSnapshot['made_by']>

/** The name of a person and the address, because two people may have the same name. */
function nameOf({ display_name, email }: Person): string {
  if (display_name === '') return email
  return email === '' ? display_name : `${display_name} (${email})`
}

const inWords = (word: string) => word.replaceAll('_', ' ')

function summary({ counts }: ReportSnapshot): string {
  const coverage = Object.entries(counts.coverage).map(([state, agents]) => `${state} ${agents}`)
  const { decisions, events } = counts
  return table('Summary', [
    ['Agents', counts.agents],
    ['Policies', counts.policies],
    ['Agents with an approval of record', counts.approvals],
    ['Agents in drift', counts.drift],
    ['Execution coverage', coverage.join(', ') || 'no agents'],
    ['Open findings', counts.findings],
    ...(decisions
      ? [
          [
            'Calls decided in the period',
            `${decisions.allow} allowed, ${decisions.deny} denied, ${decisions.require_approval} needed an approval`,
          ],
        ]
      : []),
    ...(events !== undefined ? [['Acts of people in the period', events]] : []),
  ])
}

function sections(snapshot: ReportSnapshot): string[] {
  const { counts, decisions, events } = snapshot
  const policyAt = policiesByName(snapshot)
  return [
    section(
      'Approvals of record',
      counts.approvals,
      ['Agent', 'Approved policy', 'Content hash', 'Approved by', 'When', 'Review', 'Comment'],
      snapshot.approvals,
      ({ agent_name, approved, review }) => [
        agent_name,
        policyAt(approved),
        approved.content_hash && code(approved.content_hash),
        review?.reviewer && nameOf(review.reviewer),
        review && exactTime(review.resolved_at),
        review && `${review.kind}, ${review.status}`,
        review?.comment,
      ],
    ),
    ...(events
      ? [
          section(
            'What people decided about these agents in the period',
            counts.events ?? events.length,
            ['When', 'Who', 'What', 'Agent', 'Policy', 'Comment'],
            events,
            ({ at, by, summary, agent_name, policy, comment }) => [
              exactTime(at),
              nameOf(by),
              summary,
              agent_name,
              policy && policyAt(policy),
              comment,
            ],
          ),
        ]
      : []),
    ...(decisions
      ? [
          section(
            'Calls that edges decided in the period',
            decisions.length,
            ['Agent', 'Allowed', 'Denied', 'Needed an approval'],
            decisions,
            ({ agent_name, allow, deny, require_approval }) => [agent_name, allow, deny, require_approval],
          ),
        ]
      : []),
    section('Drift', counts.drift, ['Agent', 'Approved', 'Running'], snapshot.drift, (row) => [
      row.agent_name,
      policyAt(row.approved),
      policyAt(row.running),
    ]),
    section(
      'Open findings',
      counts.findings,
      ['Agent', 'Finding', 'Severity', 'Opened', 'Remediation'],
      snapshot.findings,
      (row) => [
        row.agent_name,
        findingSentences[row.type as FindingType] ?? inWords(row.type),
        row.severity,
        exactTime(row.opened_at),
        row.remediation,
      ],
    ),
    section(
      'Agents',
      counts.agents,
      ['Name', 'Owner', 'Status', 'Lifecycle', 'Mode', 'Policy', 'Last heartbeat'],
      snapshot.agents,
      (agent) => [
        agent.name,
        agent.owner ? nameOf(agent.owner) : agent.owner === null ? 'nobody' : 'not known',
        agent.status,
        agent.lifecycle_status,
        agent.governance_mode,
        agent.policy && `${agent.policy.name}, version ${agent.policy.version}`,
        agent.last_heartbeat_at && exactTime(agent.last_heartbeat_at),
      ],
    ),
    section(
      'Policies',
      counts.policies,
      ['Name', 'Mode', 'Default', 'Version', 'Saved by', 'Saved', 'Rules', 'Content hash'],
      snapshot.policies,
      (policy) => [
        policy.name,
        policy.override_mode,
        inWords(policy.default_effect),
        policy.version,
        policy.saved_by && nameOf(policy.saved_by),
        policy.saved_at && exactTime(policy.saved_at),
        policy.rules,
        code(policy.content_hash),
      ],
    ),
    section('Execution coverage', counts.agents, ['Agent', 'State'], snapshot.coverage, (row) => [
      row.agent_name,
      row.state,
    ]),
  ]
}

/** The page of a report that has no snapshot. It shows the progress, or why the report failed. */
export function renderUnready({ title, progress, failure }: Report): string {
  const said =
    failure === undefined
      ? `This report is in progress: ${Math.floor(progress * 100)} % is done. Load the page again later.`
      : `This report could not be made: ${failure}.`
  return `${head(title)}
<header><h1>${shown(title)}</h1></header>
<main><p>${shown(said)}</p></main>
</html>
`
}

const head = (title: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${shown(title)}</title>
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

/** Escapes a text, and shows its hidden characters by their codes. */
const shown = (text: string) => escapeHtml(shownText(text))

function renderCell(cell: Cell): string {
  if (cell !== null && typeof cell === 'object') return `<td><code>${escapeHtml(cell.code)}</code></td>`
  return `<td>${shown(String(cell ?? '–'))}</td>`
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
