import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { coverages, severities } from '../../ui/page/states.ts'
import { Moment, Time } from '../../ui/texts/time.tsx'
import { asSentence, counted, numberOf } from '../../words/words.ts'
import { findingTypes } from '../findings/finding-types.ts'
import css from './agent.module.css'
import type { Agent } from './words.ts'

/** What the runtime claims, what edges saw, and the open findings with their remedies. */
export function Coverage({ agent }: { agent: Agent }) {
  const { attested, observed, findings, state } = agent.execution_coverage
  return (
    <Panel title="Coverage" legend={<State {...coverages[state]} />}>
      <KeyValues
        rows={[
          [
            'Attested',
            attested ? (
              <span key="attested">
                The runtime says that {counted(attested.tools.length, '# tool passes', '# tools pass')} the edge at{' '}
                {counted(attested.mediation_points.length, '# point', '# points')} (mode {attested.mode}),{' '}
                <Time at={attested.attested_at} />
              </span>
            ) : (
              'The runtime has claimed nothing'
            ),
          ],
          [
            'Observed',
            observed ? (
              <span key="observed">
                {numberOf(observed.actions_mediated)} of {counted(observed.actions_seen, '# call', '# calls')} passed
                the edge,{' '}
                {observed.unmediated_seen > 0 && (
                  <b className={css.red}>{numberOf(observed.unmediated_seen)} did not, </b>
                )}
                <Time at={observed.reported_at} />
              </span>
            ) : (
              'No edge has reported what it saw'
            ),
          ],
        ]}
      />
      {findings.length > 0 && (
        <ul className={css.findings}>
          {findings.map(({ id, type, severity, remediation, opened_at }) => (
            <li key={id}>
              <State {...severities[severity]} />
              <span>
                <b>{findingTypes.find((each) => each.type === type)?.look.word ?? type}</b>, open since{' '}
                <Moment at={opened_at} />
                <span className={css.note}>{asSentence(remediation)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className={css.note}>
        {findings.length === 0 ? (
          'No finding is open.'
        ) : (
          <PageLink to="/findings" search={{ agent_id: agent.id }}>
            All findings of the agent
          </PageLink>
        )}
      </p>
    </Panel>
  )
}
