import { connect } from '../connection/connect.ts'
import { reportId } from '../find/find-report.ts'
import { timeOf } from '../options/expiry.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showOne } from '../output/show.ts'

export async function shareReport(named: string, { expires, ...output }: OutputOptions & { expires?: string }) {
  const expires_at = expires === undefined ? undefined : timeOf(expires, Date.now())
  const { client } = await connect()
  const path = { report_id: await reportId(client, named) }
  const link = await client.call('shareReport', { path, body: { expires_at } })
  note('The link is shown only now. Everyone who has it can read the whole report without signing in.')
  showOne(link, output, [
    { title: 'Link', value: ({ url }) => url },
    { title: 'Expires', value: () => expires_at ?? 'never' },
    { title: 'Id', value: ({ id }) => id },
  ])
}

export async function unshareReport(named: string, link_id: string): Promise<void> {
  const { client } = await connect()
  await client.call('revokeShareLink', { path: { report_id: await reportId(client, named), link_id } })
  note('The share link is revoked.')
}
