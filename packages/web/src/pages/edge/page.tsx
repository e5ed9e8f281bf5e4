import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { useNow, useTextNow } from '../../ui/browser/use-now.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Moment, Time, TimeAhead } from '../../ui/texts/time.tsx'
import { counted, numberOf } from '../../words/words.ts'
import { DecisionChart } from '../decisions/decision-chart.tsx'
import { type SpanName, spanOf } from '../decisions/spans.ts'
import { StartOwnKeyEdge } from '../edges/start-own-key-edge.tsx'
import { closingWords, lacksWords, stateOf } from '../edges/words.ts'
import css from './edge.module.css'

type Edge = Schema<'Edge'> & { names?: Record<string, string> }

/** Heartbeats are no events, so the page asks for them. */
const pollMs = 5000

/** Does this edge report, and what does it do when it cannot? */
export function EdgePage() {
  const { id } = useParams({ from: '/inside/edges/$id' })
  const { data, error, refetch } = useQuery({
    ...read('getEdge', { path: { edge_id: id }, query: { include: 'may,names' } }),
    refetchInterval: pollMs,
  })
  if (data) return <EdgeView edge={data} />
  return <Unread name="Edge" error={error} onRetry={() => void refetch()} all={{ to: '/edges', text: 'All edges' }} />
}

/** When the edge denies every call if it gets no answer. */
function Closing({ at }: { at: string }) {
  const isClosed = Date.parse(at) <= useNow()
  return isClosed ? (
    <>
      it denies every call since <Moment at={at} />
    </>
  ) : (
    <>
      it denies every call <TimeAhead at={at} />
    </>
  )
}

/** It alone renders again while the time runs. */
function EdgeSentence({ edge, first }: { edge: Edge; first: string }) {
  const closing = useTextNow((now) => closingWords(edge, now))
  return <Sentence wrong={[{ text: first }]} fine={closing} />
}

function EdgeView({ edge }: { edge: Edge }) {
  const [isRevoking, setRevoking] = useState(false)
  const span = spanOf(useSearch({ from: '/inside/edges/$id' }).span)
  const navigate = useNavigate()
  const choose = (name: SpanName) =>
    void navigate({
      to: '/edges/$id',
      params: { id: edge.id },
      search: name === 'day' ? {} : { span: name },
      resetScroll: false,
    })
  const { names = {} } = edge
  const state = stateOf(edge)
  const tooOldFor = lacksWords(edge)
  const served = edge.agents_served
  const keyText = `${edge.key_prefix}…`
  const first =
    edge.silent === null
      ? 'This edge has never reported'
      : edge.silent
        ? 'This edge is silent'
        : served === null
          ? 'This edge reports'
          : counted(served, 'This edge reports and serves # agent', 'This edge reports and serves # agents')
  return (
    <>
      <PageHead
        name={edge.name}
        history={{ resource_type: 'edge', resource_id: edge.id }}
        states={<State {...state} />}
        sentence={<EdgeSentence edge={edge} first={first} />}
        firstClause={first}
        actions={
          <Button look="danger" disabledBecause={whyNot(edge, 'revokeEdge')} onPress={() => setRevoking(true)}>
            Revoke
          </Button>
        }
      />
      <div className={css.columns}>
        <div className={css.stack}>
          {edge.silent === null ? (
            <Panel title="Start">
              <p>
                The whole key was shown once, when the edge was created. Put it into the command in the place of{' '}
                <code>{keyText}</code>.
              </p>
              <StartOwnKeyEdge environmentId={edge.environment_id} keyText={keyText} isHeard={false} />
            </Panel>
          ) : (
            <DecisionChart span={span} onSpan={choose} filters={{ edge_id: edge.id }} />
          )}
        </div>
        <div className={css.stack}>
          <Panel title="Edge">
            <KeyValues
              rows={[
                [
                  'Environment',
                  <PageLink key="environment" to="/agents" search={{ environment_id: edge.environment_id }}>
                    <Name>{names[edge.environment_id] ?? edge.environment_id}</Name>
                  </PageLink>,
                ],
                ['Agents served', served === null ? 'not known' : numberOf(served)],
                [
                  'Last heartbeat',
                  edge.last_heartbeat_at ? <Time key="heartbeat" at={edge.last_heartbeat_at} /> : 'none yet',
                ],
                [
                  'Without an answer',
                  edge.closes_at ? <Closing key="closing" at={edge.closes_at} /> : 'no time limit is known',
                ],
                ['Version', edge.version ?? 'not known'],
                ...(tooOldFor === undefined ? [] : [['Too old for', tooOldFor] as [string, string]]),
                ['Key begins with', <code key="prefix">{edge.key_prefix}</code>],
                ['Created', <Time key="created" at={edge.created_at} />],
                [
                  'Created by',
                  edge.created_by ? (
                    <Name key="creator">{names[edge.created_by] ?? 'a removed person'}</Name>
                  ) : (
                    'not known'
                  ),
                ],
                ['Id', <Copy key="id" what="id of the edge" value={edge.id} shown={shortId(edge.id)} />],
              ]}
            />
          </Panel>
        </div>
      </div>
      {isRevoking && <Revoke edge={edge} onClose={() => setRevoking(false)} />}
    </>
  )
}

function Revoke({ edge, onClose }: { edge: Edge; onClose: () => void }) {
  const write = useWrite('revokeEdge')
  const navigate = useNavigate()
  return (
    <Confirm
      title={`Revoke ${edge.name}?`}
      verb="Revoke"
      look="danger"
      isFinal
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { edge_id: edge.id } })
        tell(`Revoked ${edge.name}.`)
        await navigate({ to: '/edges' })
      }}
    >
      <p>
        The key stops at once and for good. The edge then denies every call
        {edge.agents_served ? counted(edge.agents_served, ' of # agent.', ' of its # agents.') : '.'}
      </p>
    </Confirm>
  )
}
