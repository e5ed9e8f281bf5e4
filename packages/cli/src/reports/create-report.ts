import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../connection/connect.ts'
import { findEnvironment } from '../find/find-environment.ts'
import { reportId } from '../find/find-report.ts'
import { Failure } from '../invocation/failure.ts'
import { daysFrom } from '../options/time-option.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showOne } from '../output/show.ts'
import { reportFields } from './show-report.ts'

interface Options extends OutputOptions {
  environment?: string
  title?: string
  from?: string
  to?: string
  wait: boolean
}

const pollMs = 2_000

/** Creates a report. The control plane makes a large report in a job; by default this waits for the job. */
export async function createReport({ environment, title, from, to, wait, ...output }: Options): Promise<void> {
  const days = daysFrom({ from, to })
  const { client } = await connect()
  const environment_id = environment === undefined ? undefined : await findEnvironment(client, environment)
  let report = await client.call('createReport', { body: { environment_id, title, ...days } })
  if (wait && report.status === 'running')
    note(`The control plane is making the report ${report.id}; press Ctrl-C to stop waiting.`)
  while (wait && report.status === 'running') {
    await pause(pollMs)
    report = await client.call('getReport', { path: { report_id: report.id } })
  }
  if (report.status === 'failed')
    throw new Failure(`the control plane could not make the report: ${report.failure ?? 'no reason given'}`)
  showOne(report, output, reportFields)
}

export async function deleteReport(named: string): Promise<void> {
  const { client } = await connect()
  await client.call('deleteReport', { path: { report_id: await reportId(client, named) } })
  note(`${named} is no longer listed. The report is kept, and its share links still work.`)
}
