import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { Button } from '../../ui/actions/button.tsx'
import { shortDigest } from '../../ui/actions/copy.tsx'
import { usePrinting } from '../../ui/browser/use-printing.ts'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { ExactTime } from '../../ui/texts/time.tsx'
import { policyValue } from '../../words/policy-fields.ts'
import { asSentence, numberOf } from '../../words/words.ts'
import { findingTypes } from '../findings/finding-types.ts'
import { nameOf } from '../reports/words.ts'
import css from './report.module.css'

type Snapshot = Schema<'ReportSnapshot'>

/** The whole snapshot, in the order of importance. Its times are exact, because a printed report is proof. */
export function Snapshot({ snapshot }: { snapshot: Snapshot }) {
  const policyNames = namesOfPolicies(snapshot)
  const versionOf = (at: PolicyAt) => <Version at={at} name={policyNames.get(at.policy_id)} />
  return (
    <div className={css.parts}>
      <Counts snapshot={snapshot} />
      <Part
        title="Approvals of record"
        none="No agent had an approval of record."
        rows={snapshot.approvals}
        idOf={({ agent_id }) => agent_id}
        columns={[
          { head: 'Agent', cell: ({ agent_name }) => <Name>{agent_name}</Name> },
          { head: 'Approved', cell: ({ approved }) => versionOf(approved) },
          {
            head: 'By',
            cell: ({ review }) => (review?.reviewer ? <Name>{nameOf(review.reviewer)}</Name> : 'not known'),
          },
          { head: 'When', cell: ({ review }) => (review ? <ExactTime at={review.resolved_at} /> : '–') },
          { head: 'Review', cell: ({ review }) => (review ? `${review.kind}, ${review.status}` : 'none') },
          { head: 'Comment', cell: ({ review }) => <Said text={review?.comment} /> },
        ]}
      />
      {snapshot.events && (
        <Part
          title="What people decided about these agents in the period"
          none="Nobody decided anything about these agents in the period."
          rows={snapshot.events}
          // The freeze of an organization is an act about each agent.
          idOf={({ id, agent_id }) => `${id} ${agent_id}`}
          columns={[
            { head: 'When', cell: ({ at }) => <ExactTime at={at} /> },
            { head: 'Who', cell: ({ by }) => <Name>{nameOf(by)}</Name> },
            { head: 'What', cell: ({ summary }) => <Name>{summary}</Name> },
            { head: 'Agent', cell: ({ agent_name }) => <Name>{agent_name}</Name> },
            { head: 'Policy', cell: ({ policy }) => (policy ? versionOf(policy) : '–') },
            { head: 'Comment', cell: ({ comment }) => <Said text={comment} /> },
          ]}
        />
      )}
      {snapshot.decisions && (
        <Part
          title="Calls that edges decided in the period"
          none="No edge decided a call of these agents in the period."
          rows={snapshot.decisions}
          idOf={({ agent_id }) => agent_id}
          columns={[
            { head: 'Agent', cell: ({ agent_name }) => <Name>{agent_name}</Name> },
            { head: 'Allowed', cell: ({ allow }) => numberOf(allow), isNumber: true },
            { head: 'Denied', cell: ({ deny }) => numberOf(deny), isNumber: true },
            { head: 'Needed an approval', cell: ({ require_approval: held }) => numberOf(held), isNumber: true },
          ]}
        />
      )}
      <Part
        title="Open findings"
        none="No finding was open when the report was made."
        rows={snapshot.findings}
        idOf={({ id }) => id}
        columns={[
          { head: 'Agent', cell: ({ agent_name }) => <Name>{agent_name}</Name> },
          { head: 'Finding', cell: ({ type }) => wordOfFinding(type) },
          { head: 'Severity', cell: ({ severity }) => severity, isWord: true },
          { head: 'Opened', cell: ({ opened_at }) => <ExactTime at={opened_at} /> },
          { head: 'What to do', cell: ({ remediation }) => asSentence(remediation) },
        ]}
      />
      <Part
        title="Drift"
        none="When the report was made, every agent with an approval and a report ran what was approved."
        rows={snapshot.drift}
        idOf={({ agent_id }) => agent_id}
        columns={[
          { head: 'Agent', cell: ({ agent_name }) => <Name>{agent_name}</Name> },
          { head: 'Approved', cell: ({ approved }) => versionOf(approved) },
          { head: 'Running', cell: ({ running }) => versionOf(running) },
        ]}
      />
      <Part
        title="Agents"
        none="There was no agent."
        rows={snapshot.agents}
        idOf={({ id }) => id}
        columns={[
          { head: 'Name', cell: ({ name }) => <Name>{name}</Name> },
          { head: 'Owner', cell: ({ owner }) => <Owner owner={owner} /> },
          { head: 'Lifecycle', cell: ({ lifecycle_status }) => lifecycle_status, isWord: true },
          { head: 'Status', cell: ({ status }) => status, isWord: true },
          {
            head: 'Policy',
            cell: ({ policy }) =>
              policy ? (
                <>
                  <Name>{policy.name}</Name>, v{policy.version}
                </>
              ) : (
                'none'
              ),
          },
          {
            head: 'Enforcement',
            cell: ({ governance_mode: mode }) => (mode ? policyValue('override_mode', mode, String) : '–'),
          },
          { head: 'Last heartbeat', cell: ({ last_heartbeat_at: at }) => (at ? <ExactTime at={at} /> : 'none') },
        ]}
      />
      <Part
        title="Policies"
        none="There was no policy."
        rows={snapshot.policies}
        idOf={({ id }) => id}
        columns={[
          { head: 'Name', cell: ({ name }) => <Name>{name}</Name> },
          { head: 'Version', cell: ({ version }) => `v${version}`, isWord: true },
          { head: 'Saved by', cell: ({ saved_by: by }) => (by ? <Name>{nameOf(by)}</Name> : '–') },
          { head: 'Saved', cell: ({ saved_at: at }) => (at ? <ExactTime at={at} /> : '–') },
          {
            head: 'Calls that no rule matches',
            cell: ({ default_effect: effect }) => policyValue('default_effect', effect, String),
          },
          { head: 'Rules', cell: ({ rules }) => numberOf(rules), isNumber: true },
          { head: 'Digest', cell: ({ content_hash }) => <Digest hash={content_hash} /> },
        ]}
      />
      <p className={css.about}>Agents that were archived before the report was made are not in it.</p>
    </div>
  )
}

/** A report of an earlier version does not say who owned an agent. */
function Owner({ owner }: Pick<Snapshot['agents'][number], 'owner'>) {
  if (owner) return <Name>{nameOf(owner)}</Name>
  return owner === null ? 'nobody' : 'not known'
}

function Counts({ snapshot }: { snapshot: Snapshot }) {
  const { counts } = snapshot
  const { decisions, events } = counts
  const coverage = Object.entries(counts.coverage).filter(([, count]) => count > 0)
  return (
    <Panel title="Counts">
      <KeyValues
        rows={[
          ['Organization', <Name key="organization">{snapshot.organization}</Name>],
          ['Environment', snapshot.environment ? <Name key="environment">{snapshot.environment.name}</Name> : 'all'],
          ['Agents', numberOf(counts.agents)],
          ['Policies', numberOf(counts.policies)],
          ['With an approval of record', numberOf(counts.approvals)],
          ['With drift', numberOf(counts.drift)],
          ['Open findings', numberOf(counts.findings)],
          ['Coverage', coverage.map(([state, count]) => `${state} ${numberOf(count)}`).join(', ') || 'no agent'],
          [
            'Calls in the period',
            decisions &&
              `${numberOf(decisions.allow)} allowed, ${numberOf(decisions.deny)} denied, ${numberOf(decisions.require_approval)} needed an approval`,
          ],
          ['Acts of people in the period', events === undefined ? undefined : numberOf(events)],
        ]}
      />
    </Panel>
  )
}

/** What a person wrote. */
const Said = ({ text }: { text: string | null | undefined }) => (text ? <Name>{text}</Name> : '–')

const wordOfFinding = (type: string) =>
  findingTypes.find((known) => known.type === type)?.look.word ?? type.replaceAll('_', ' ')

function namesOfPolicies({ agents, policies }: Snapshot): ReadonlyMap<string, string> {
  const names = new Map(policies.map(({ id, name }) => [id, name]))
  for (const { policy } of agents) if (policy) names.set(policy.id, policy.name)
  return names
}

type PolicyAt = Snapshot['drift'][number]['approved']

function Version({ at: { version, content_hash: hash }, name }: { at: PolicyAt; name: string | undefined }) {
  return (
    <>
      <Name>{name ?? 'a policy that is not in this report'}</Name>,{' '}
      {version === null ? 'version not known' : `v${version}`} {hash && <Digest hash={hash} />}
    </>
  )
}

/** A digest, short on the screen and whole on paper. */
const Digest = ({ hash }: { hash: string }) => (
  <code title={`sha256:${hash}`}>
    <span className="on-screen">{shortDigest(hash)}</span>
    <span className="on-paper">sha256:{hash}</span>
  </code>
)

/** A snapshot has up to 10,000 rows in each list. */
const atOnce = 200

interface PartProps<Row> {
  title: string
  none: string
  rows: readonly Row[]
  idOf: (row: Row) => string
  columns: readonly [Column<Row>, ...Column<Row>[]]
}

function Part<Row>({ title, none, rows, idOf, columns }: PartProps<Row>) {
  const [asked, setShown] = useState(atOnce)
  const isPrinting = usePrinting() !== undefined
  const shown = isPrinting ? rows.length : asked
  return (
    <Panel title={title} more={numberOf(rows.length)}>
      {rows.length === 0 ? (
        <p className={css.none}>{none}</p>
      ) : (
        <Table label={title} rows={rows.slice(0, shown)} idOf={idOf} columns={columns} isWhole />
      )}
      {rows.length > shown && (
        <div className={css.more}>
          <Button onPress={() => setShown(asked + atOnce)}>Show more</Button>
        </div>
      )}
    </Panel>
  )
}
