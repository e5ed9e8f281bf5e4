import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { serverUrl } from '../../api/server-url.ts'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { CopyFrame } from '../../ui/actions/copy-frame.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Box } from '../../ui/page/box.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State, type StateLook } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import { verifyReceipt } from '../../words/commands.ts'
import { counted, numberOf } from '../../words/words.ts'
import type { Evidence } from './chain.tsx'
import css from './decision.module.css'

/** What proves the decision, and what does not. */
export function Receipt({ decision, version }: Evidence) {
  const { receipt, edge, integrity, policy } = decision
  if (!receipt)
    return (
      <Box title="Receipt" id="receipt">
        <State glyph="proposed" word="Unsigned" tone="off" />
        <p>The record was sent without a signature, as edges of version 0.1 send it. So it has no receipt.</p>
      </Box>
    )
  const isSame = version !== undefined && policy?.content_hash === version.content_hash
  return (
    <Box
      title="Receipt"
      id="receipt"
      mark={
        <span className={css.seal}>
          <Glyph name="seal" />
        </span>
      }
      aside={
        <>
          checked <RecordTime at={receipt.checked_at} />
        </>
      }
    >
      <ul className={css.checks}>
        <Check
          glyph="approved"
          word="Signature is valid"
          tone="proof"
          note={edge?.name ? `Ed25519, key of ${edge.name}` : 'Ed25519, an edge with the key of the agent'}
        />
        {integrity === 'signed' ? (
          <Check
            glyph="approved"
            word="Nothing before it is missing"
            tone="proof"
            note={counted(receipt.seq, '# record, no gap', '# records, no gap')}
          />
        ) : (
          <Check glyph="close" word="Records before it are missing" tone="deny" note="a gap or a fork of the chain" />
        )}
        {policy?.version != null && policy.content_hash !== null && version && (
          <Check
            glyph={isSame ? 'approved' : 'close'}
            word={isSame ? `Policy hash is version ${policy.version}` : `Policy hash is not version ${policy.version}`}
            tone={isSame ? 'proof' : 'deny'}
            note={isSame ? 'as the server has it' : 'the server has another hash'}
          />
        )}
        <Check
          {...(receipt.anchored_by === null
            ? { glyph: 'proposed', word: 'Not sealed yet', tone: 'off', note: 'once per UTC day' }
            : { glyph: 'seal', word: 'Sealed', tone: 'proof', note: 'by the audit trail' })}
        />
      </ul>
      <KeyValues
        rows={[
          ['Key', <Copy key="kid" value={receipt.kid} shown={shortDigest(receipt.kid)} what="id of the key" />],
          ['Sequence', numberOf(receipt.seq)],
          ['Previous', <Copy key="prev" value={receipt.prev} shown={shortDigest(receipt.prev)} what="previous hash" />],
          [
            'Record',
            <Copy key="hash" value={receipt.hash} shown={shortDigest(receipt.hash)} what="hash of the record" />,
          ],
        ]}
      />
      <div className={css.check}>
        <p className={css.small}>Download the receipt into the folder of Mandate on any machine, and check it there:</p>
        <CopyFrame value={verifyReceipt(serverUrl(), decision.decision_id)} what="command" />
      </div>
    </Box>
  )
}

function Check({ note, ...look }: StateLook & { note: string }) {
  return (
    <li>
      <State {...look} />
      <Name className={css.small}>{note}</Name>
    </li>
  )
}

const results: Record<'same' | 'differs' | 'undecidable', StateLook> = {
  same: { glyph: 'same', word: 'Same', tone: 'proof' },
  differs: { glyph: 'differs', word: 'Differs', tone: 'deny' },
  undecidable: { glyph: 'depends', word: 'Depends', tone: 'quiet' },
}

const sentenceOf = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`

/** Whether the recorded policy version decides the call in the same way today. */
export function Replay({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(
    read('replayDecision', { path: { decision_id: id }, query: { include: 'names' } }),
  )
  return (
    <Panel title="Replay" legend={data && <State {...results[data.result]} />}>
      {error && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data && (
        <p className={css.lede}>
          {sentenceOf(data.reason)}
          {data.result === 'differs' && data.replayed && (
            <>
              {' '}
              The version decides now: <State {...effects[data.replayed.effect]} />
            </>
          )}
        </p>
      )}
    </Panel>
  )
}
