import type { Command } from 'commander'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { createReport, deleteReport } from './create-report.ts'
import { shareReport, unshareReport } from './share-report.ts'
import { listReports, showReport } from './show-report.ts'

/** Adds `reports …`. Commands take a report's id, or its title if only one report has that title. */
export function addReportCommands(program: Command): void {
  const reports = program.command('reports').description('compliance reports: make, read and share them')
  withList(reports.command('list').description('list reports, newest first')).action(listReports)
  withOutput(
    reports.command('show <report>').description('show a report’s counts; --output json prints the whole report'),
  ).action(showReport)
  withOutput(reports.command('create').description('make a report, and wait until it is ready'))
    .option('--environment <slug>', 'the environment to report on; by default the whole organization')
    .option('--title <text>')
    .option('--from <date>', 'the first day of the period in UTC, such as 2026-01-01; 29 days before --to by default')
    .option('--to <date>', 'the last day of the period in UTC; today by default')
    .option('--no-wait', 'do not wait for a large report')
    .action(createReport)
  withOutput(reports.command('share <report>').description('make a link that shows a report without signing in'))
    .option(
      '--expires <when>',
      'a time, in UTC without a zone, or a duration such as 30d; by default the link does not expire',
    )
    .action(shareReport)
  reports.command('unshare <report> <link_id>').description('revoke a share link').action(unshareReport)
  reports
    .command('delete <report>')
    .description('remove a report from the list; its share links still work')
    .action(deleteReport)
}
