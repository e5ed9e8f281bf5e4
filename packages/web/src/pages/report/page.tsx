import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Loading } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { exactTime } from '../../words/times.ts'
import { counted } from '../../words/words.ts'
import { nameOf, periodText, stateOf, unreadyText } from '../reports/words.ts'
import css from './report.module.css'
import { Share, ShareLinks } from './share.tsx'
import { Snapshot } from './snapshot.tsx'

type Report = Schema<'Report'> & { names?: Record<string, string> }

const pollMs = 1000

/** What was true when the report was made? */
export function ReportPage() {
  const { id } = useParams({ from: '/inside/reports/$id' })
  const { data, error, refetch } = useQuery({
    ...read('getReport', { path: { report_id: id }, query: { include: 'may,names' } }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? pollMs : false),
  })
  if (data) return <ReportView report={data} />
  return (
    <Unread name="Report" error={error} onRetry={() => void refetch()} all={{ to: '/reports', text: 'All reports' }} />
  )
}

function ReportView({ report }: { report: Report }) {
  const [asked, setAsked] = useState<'share' | 'delete'>()
  const { snapshot, names = {} } = report
  const unready = unreadyText(report)
  const made = snapshot?.made_by
  const by = made ? nameOf(made) : (report.generated_by && names[report.generated_by]) || 'a removed person'
  return (
    <>
      <PageHead
        name={report.title}
        history={{ resource_type: 'report', resource_id: report.id }}
        states={<State {...stateOf(report)} />}
        sentence={snapshot ? <SnapshotSentence snapshot={snapshot} /> : unready}
        firstClause={snapshot ? 'The report is ready.' : unready}
        isStill
        actions={
          <>
            <Button onPress={() => window.print()}>Print</Button>
            <Button disabledBecause={whyNot(report, 'shareReport')} onPress={() => setAsked('share')}>
              Share
            </Button>
            <Button look="danger" disabledBecause={whyNot(report, 'deleteReport')} onPress={() => setAsked('delete')}>
              Delete
            </Button>
          </>
        }
      />
      <p className={css.about}>
        Made by <Name>{by}</Name>, {exactTime(report.created_at)}.
        {snapshot?.period && ` ${periodText(snapshot.period)}`} Id{' '}
        <Copy what="id of the report" value={report.id} shown={shortId(report.id)} />
        {report.deleted_at && ' This report was deleted from the list.'}
      </p>
      {report.status === 'running' && <Loading rows={8} />}
      {snapshot && <Snapshot snapshot={snapshot} />}
      <ShareLinks report={report} />
      {asked === 'share' && <Share report={report} onClose={() => setAsked(undefined)} />}
      {asked === 'delete' && <Delete report={report} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function SnapshotSentence({ snapshot: { counts, organization } }: { snapshot: Schema<'ReportSnapshot'> }) {
  return (
    <Sentence
      wrong={[
        ...(counts.drift > 0
          ? [
              {
                text: counted(
                  counts.drift,
                  '# agent ran a policy that nobody approved',
                  '# agents ran policies that nobody approved',
                ),
              },
            ]
          : []),
        ...(counts.findings > 0
          ? [{ text: counted(counts.findings, '# finding was open', '# findings were open') }]
          : []),
      ]}
      fine={`${organization} had ${counted(counts.agents, '# agent.', '# agents.')}`}
    />
  )
}

function Delete({ report, onClose }: { report: Report; onClose: () => void }) {
  const write = useWrite('deleteReport')
  const navigate = useNavigate()
  return (
    <Confirm
      title={`Delete ${report.title}?`}
      verb="Delete"
      look="danger"
      isFinal
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { report_id: report.id } })
        tell(`Deleted ${report.title} from the list.`)
        await navigate({ to: '/reports' })
      }}
    >
      <p>The report leaves the list. It is kept, and its share links keep working until they end or are revoked.</p>
    </Confirm>
  )
}
