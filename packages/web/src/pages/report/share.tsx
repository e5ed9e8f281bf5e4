import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { Secret } from '../../ui/fields/secret.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Time, TimeAhead } from '../../ui/texts/time.tsx'
import { exactTime } from '../../words/times.ts'
import css from './report.module.css'

type Report = Schema<'Report'>

const lifetimes = [
  { value: '7', text: '7 days' },
  { value: '30', text: '30 days' },
  { value: '365', text: '1 year' },
  { value: '', text: 'Never' },
] as const
const dayMs = 24 * 60 * 60 * 1000

/** Creates a link with which everyone can read the report. The link is shown once. */
export function Share({ report, onClose }: { report: Report; onClose: () => void }) {
  const [days, setDays] = useState<(typeof lifetimes)[number]['value']>('30')
  const share = useWrite('shareReport')
  if (share.data) {
    return (
      <Secret title="The share link" what="link" value={share.data.url} onClose={onClose}>
        <p>Everyone with the link can read this report without an account.</p>
      </Secret>
    )
  }
  const submit = async () => {
    const expires_at = days ? new Date(Date.now() + Number(days) * dayMs).toISOString() : undefined
    await share.mutateAsync({ path: { report_id: report.id }, body: { ...(expires_at && { expires_at }) } })
  }
  return (
    <FormDialog
      title={`Share ${report.title}?`}
      verb="Create link"
      act={submit}
      isBusy={share.isPending}
      fault={share.error?.message}
      onClose={onClose}
    >
      <p>Everyone with the link can read this report without an account. You can revoke the link.</p>
      <SelectField label="Ends after" value={days} onChange={setDays} options={lifetimes} />
    </FormDialog>
  )
}

/** The links of the report, revoked ones too. */
export function ShareLinks({ report }: { report: Report }) {
  const revoke = useWrite('revokeShareLink')
  const [asked, setAsked] = useState<Pick<Report['share_links'][number], 'id' | 'created_at'>>()
  if (report.share_links.length === 0) return null
  return (
    <div className={css.links}>
      <Panel title="Share links">
        <Table
          label="Share links"
          rows={report.share_links}
          idOf={({ id }) => id}
          columns={[
            { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
            {
              head: 'Ends',
              narrow: 'start',
              cell: ({ revoked_at, expires_at }) =>
                revoked_at ? (
                  <>
                    revoked <Time at={revoked_at} />
                  </>
                ) : expires_at ? (
                  <TimeAhead at={expires_at} />
                ) : (
                  'never'
                ),
            },
            {
              head: 'Actions',
              isActions: true,
              cell: ({ id, created_at, revoked_at }) =>
                revoked_at ? null : (
                  <Button
                    look="plain danger"
                    reason="hidden"
                    name={`Revoke the link of ${exactTime(created_at)}`}
                    disabledBecause={whyNot(report, 'revokeShareLink')}
                    onPress={() => setAsked({ id, created_at })}
                  >
                    Revoke
                  </Button>
                ),
            },
          ]}
        />
      </Panel>
      {asked && (
        <Confirm
          title={`Revoke the link of ${exactTime(asked.created_at)}?`}
          verb="Revoke"
          look="danger"
          isFinal
          onClose={() => setAsked(undefined)}
          act={async () => {
            await revoke.mutateAsync({ path: { report_id: report.id, link_id: asked.id } })
            tell('Revoked the link.')
          }}
        >
          <p>The link stops working at once for everyone who has it. This cannot be undone.</p>
        </Confirm>
      )}
    </div>
  )
}
