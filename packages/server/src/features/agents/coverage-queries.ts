import { coverageState } from './coverage-state.ts'
import { arrayOf, bare, object, objectIf, text, texts, time, timeOrNull, word } from './json-text.ts'

const finding = object({
  id: word('f.id'),
  agent_id: word('f.agent_id'),
  type: word('f.type'),
  severity: text('f.severity'),
  status: word('f.status'),
  evidence: bare('f.evidence'),
  remediation: text('f.remediation'),
  opened_at: time('f.opened_at'),
  closed_at: timeOrNull('f.closed_at'),
})

/** The object that `execution_coverage` and the endpoint of that name hold. */
export const coverage = object({
  state: word(coverageState),
  attested: objectIf('t.agent_id is not null', {
    mode: word('t.mode'),
    tools: texts('t.tools'),
    mediation_points: texts('t.mediation_points'),
    edge_version: text('t.edge_version'),
    attested_at: time('t.attested_at'),
  }),
  observed: objectIf('s.agent_id is not null', {
    window_start: time('s.window_start'),
    window_end: time('s.window_end'),
    actions_seen: bare('s.actions_seen'),
    actions_mediated: bare('s.actions_mediated'),
    unmediated_seen: bare('s.unmediated_seen'),
    reported_at: time('s.reported_at'),
  }),
  findings: arrayOf(
    finding,
    `from findings f where f.tenant_id = a.tenant_id and f.agent_id = a.id and f.status = 'open'`,
  ),
  computed_at: word('q.now_text'),
})
