import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { environmentsForSlugs, slugOf } from '../find/find-environment.ts'
import { reportId } from '../find/find-report.ts'
import type { OutputOptions } from '../output/format.ts'
import { type ListOptions, showList, showOne } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'

type Summary = Schema<'ReportSummary'>
type Report = Schema<'Report'>

export async function listReports(options: ListOptions): Promise<void> {
  const { client } = await connect()
  const columns = async (): Promise<Column<Summary>[]> => {
    const environments = await environmentsForSlugs(client)
    return [
      { title: 'TITLE', value: ({ title }) => title },
      { title: 'OF', value: ({ environment_id: id }) => (id ? slugOf(environments, id) : 'the organization') },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'CREATED_AT (UTC)', value: ({ created_at }) => minute(created_at) },
      { title: 'ID', value: ({ id }) => id },
    ]
  }
  await showList(eachOf(client, 'listReports'), options, columns, 'No reports.')
}

export async function showReport(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  showOne(await client.call('getReport', { path: { report_id: await reportId(client, named) } }), options, reportFields)
}

export const reportFields: Column<Report>[] = [
  { title: 'Title', value: ({ title }) => title },
  { title: 'Of', value: ({ snapshot }) => snapshot && (snapshot.environment?.slug ?? snapshot.organization) },
  { title: 'Created', value: ({ created_at }) => `${minute(created_at)} UTC` },
  { title: 'Period', value: periodText },
  {
    title: 'Status',
    value: ({ status, progress }) => (status === 'running' ? `${Math.floor(progress * 100)} %` : status),
  },
  { title: 'Failure', value: ({ failure }) => failure },
  { title: 'Agents', value: ({ snapshot }) => snapshot?.counts.agents },
  { title: 'Policies', value: ({ snapshot }) => snapshot?.counts.policies },
  { title: 'Approvals of record', value: ({ snapshot }) => snapshot?.counts.approvals },
  { title: 'Drift', value: ({ snapshot }) => snapshot?.counts.drift },
  { title: 'Coverage', value: coverageText },
  { title: 'Open findings', value: ({ snapshot }) => snapshot?.counts.findings },
  { title: 'Calls in the period', value: callsText },
  { title: 'Acts of people', value: ({ snapshot }) => snapshot?.counts.events },
  { title: 'Share links', value: linksText },
  { title: 'Id', value: ({ id }) => id },
]

function coverageText({ snapshot }: Report): string | undefined {
  if (!snapshot) return undefined
  const counts = Object.entries(snapshot.counts.coverage).filter(([, count]) => count > 0)
  return counts.map(([state, count]) => `${count} ${state}`).join(', ')
}

function periodText({ snapshot }: Report): string | undefined {
  return snapshot?.period && `${minute(snapshot.period.from)} to ${minute(snapshot.period.to)} UTC`
}

function callsText({ snapshot }: Report): string | undefined {
  const calls = snapshot?.counts.decisions
  return calls && `${calls.allow} allowed, ${calls.deny} denied, ${calls.require_approval} needed an approval`
}

function linksText({ share_links }: Report): string {
  const live = share_links.filter(({ revoked_at }) => !revoked_at)
  return live.map(({ id, expires_at }) => `${id} until ${minute(expires_at) ?? 'revoked'}`).join(', ') || 'none'
}
