import { minimumPlans } from '@mandate/contract/words/plans'
import { MandateError, type Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { CopyFrame } from '../../ui/actions/copy-frame.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { HistoryLink } from '../../ui/page/history-link.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { setPlan } from '../../words/commands.ts'
import { notInPlan, planNames } from '../../words/plans.ts'
import { ConnectPlatform } from './connect-platform.tsx'
import { clausesOf, fineOf, healthOf, kindNames } from './words.ts'

type Platform = Schema<'ConnectedPlatform'>

/** Where are agents discovered, and does that work? */
export function PlatformsPage() {
  const session = useSession()
  const { plan } = session.tenant
  const isIncluded = plan !== 'free'
  const list = useList('listPlatforms', { query: { include: 'may', limit: 100 } }, { enabled: isIncluded })
  const [removed, setRemoved] = useState<Platform>()
  const { rows, error } = list
  const needsPlan = !isIncluded || (error instanceof MandateError && error.code === 'plan_upgrade_required')
  const because =
    whyNot(session, 'connectPlatform') ?? (needsPlan ? notInPlan(plan, minimumPlans.platforms) : undefined)
  const dialog = useDialog({ connect: because })
  const isOwner = session.user.role === 'owner'
  return (
    <>
      <PageHead
        name="Connected platforms"
        sentence={rows && <Sentence wrong={clausesOf(rows)} fine={fineOf(list.total ?? rows.length)} />}
        actions={
          <Button look="act" disabledBecause={because} onPress={() => dialog.open('connect')}>
            Connect a platform
          </Button>
        }
      />
      {needsPlan ? (
        <>
          <Empty action={<PageLink to="/settings">See the plan</PageLink>}>
            A connected platform tells Mandate which agents exist there. They then wait in the discovery queue. The plan{' '}
            {planNames[plan]} has no platforms, so register each agent yourself, or ask the operator of this server to
            change the plan.{isOwner && ' The operator runs this command in the folder of Mandate:'}
          </Empty>
          {isOwner && <CopyFrame value={setPlan(session.tenant.id, 'pro')} what="command that changes the plan" />}
        </>
      ) : (
        <ListPart
          list={list}
          empty={
            <Empty>
              A connected platform tells Mandate which agents exist there. They then wait in the discovery queue.
              Connect one to begin.
            </Empty>
          }
        >
          {(platforms) => <Platforms rows={platforms} onRemove={setRemoved} />}
        </ListPart>
      )}
      {dialog.name === 'connect' && <ConnectPlatform onClose={dialog.close} />}
      {removed && <Disconnect platform={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

function Platforms({ rows, onRemove }: { rows: readonly Platform[]; onRemove: (platform: Platform) => void }) {
  const sync = useWrite('syncPlatform')
  const syncNow = (platform: Platform) =>
    sync.mutate(
      { path: { platform_id: platform.id } },
      {
        onSuccess: ({ last_sync_status: status }) =>
          tell(status === 'failed' ? `${platform.name} could not be synchronized.` : `Synchronized ${platform.name}.`),
        onError: ({ message }) => tell(message),
      },
    )
  return (
    <Table
      label="Connected platforms"
      rows={rows}
      idOf={({ id }) => id}
      columns={[
        { head: 'Name', cell: ({ name }) => <Name>{name}</Name> },
        { head: 'Kind', cell: ({ kind }) => kindNames[kind] },
        { head: 'Organization', cell: ({ config }) => <Name>{config.organization ?? '–'}</Name> },
        { head: 'Last sync', cell: (platform) => <State {...healthOf(platform)} />, narrow: 'start' },
        { head: 'When', cell: ({ last_sync_at: at }) => (at ? <Time at={at} /> : '–'), narrow: 'end' },
        {
          head: 'Error',
          cell: ({ last_error: text }) => (text ? <Name title={text}>{text}</Name> : '–'),
        },
        { head: 'Secret', cell: ({ has_auth_secret: has }) => (has ? 'stored' : 'none') },
        {
          head: 'Actions',
          isActions: true,
          cell: (platform) => (
            <>
              <Button
                look="plain"
                reason="hidden"
                name={`Sync now: ${platform.name}`}
                isBusy={sync.isPending && sync.variables.path.platform_id === platform.id}
                disabledBecause={whyNot(platform, 'syncPlatform')}
                onPress={() => syncNow(platform)}
              >
                Sync now
              </Button>
              <Button
                look="plain"
                reason="hidden"
                name={`Disconnect ${platform.name}`}
                disabledBecause={whyNot(platform, 'disconnectPlatform')}
                onPress={() => onRemove(platform)}
              >
                Disconnect
              </Button>
              <HistoryLink of={{ resource_type: 'platform', resource_id: platform.id }} name={platform.name} />
            </>
          ),
        },
      ]}
    />
  )
}

function Disconnect({ platform, onClose }: { platform: Platform; onClose: () => void }) {
  const write = useWrite('disconnectPlatform')
  return (
    <Confirm
      title={`Disconnect ${platform.name}?`}
      verb="Disconnect"
      look="danger"
      isFinal
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { platform_id: platform.id } })
        tell(`Disconnected ${platform.name}.`)
      }}
    >
      <p>Agents that were discovered there stay. The stored secret is deleted.</p>
    </Confirm>
  )
}
