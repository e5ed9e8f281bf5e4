import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { minute } from '../output/table.ts'
import { onlyOne } from './find-one.ts'

/**
 * Finds a report by its id, or by its title if only one report has that title.
 * @returns its id
 */
export async function reportId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const all: Schema<'ReportSummary'>[] = []
  for await (const report of eachOf(client, 'listReports')) all.push(report)
  const found = all.filter(({ title }) => title === named)
  const titles = all.map(({ title }) => title)
  return onlyOne('report', named, found, ({ created_at }) => `${minute(created_at)} UTC`, titles).id
}
