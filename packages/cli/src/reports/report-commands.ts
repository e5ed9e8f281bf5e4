import type { Command } from 'commander'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { createReport, deleteReport } from './create-report.ts'
import { shareReport, unshareReport } from './share-report.ts'
import { listReports, showReport } from './show-report.ts'

/** `reports …`. A report is named by its id, or by its title where only one has it. */
export function addReportCommands(program: Command): void {
  const reports = program.command('reports').description('compliance reports: make, read and share them')
  withList(reports.command('list').description('list reports, newest first')).action(listReports)
  withOutput(
    reports.command('show <report>').description('show a report’s counts; with --output json all of it'),
  ).action(showReport)
  withOutput(reports.command('create').description('make a report, and wait until it is ready'))
    .option('--environment <slug>', 'of one environment; of the organization unless given')
    .option('--title <text>')
    .option('--no-wait', 'do not wait for a large report')
    .action(createReport)
  withOutput(reports.command('share <report>').description('make a link that shows a report without signing in'))
    .option('--expires <when>', 'a date, or a time from now such as 30d; never unless given')
    .action(shareReport)
  reports.command('unshare <report> <link_id>').description('revoke a share link').action(unshareReport)
  reports
    .command('delete <report>')
    .description('take a report from the list; its share links work on')
    .action(deleteReport)
}
