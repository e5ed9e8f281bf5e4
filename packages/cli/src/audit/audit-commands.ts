import { type Command, Option } from 'commander'
import type { AuditVerifyOptions } from '../audit-verify/audit-verify-command.ts'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { withAuditFilters } from './audit-filters.ts'
import type { AuditTailOptions } from './audit-tail.ts'
import { checkTrail } from './check-trail.ts'
import { exportTrail } from './export-trail.ts'
import { listEntries } from './list-entries.ts'
import { showProof, verifyNow } from './show-proof.ts'

/** Adds `audit …`, which reads, exports and checks the trail. `audit verify` needs no control plane. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('the audit trail: read it, export it, or verify an export offline')
  const verify = audit
    .command('verify <file>')
    .description('verify an export of the audit trail (NDJSON; - reads standard input)')
  withOutput(verify, ['json', 'yaml'])
    .requiredOption('--key <file or URL>', 'the service’s public key: a PEM, or the list at /api/v1/edge/signing-key')
    .option('--through <seq:hash>', 'a head recorded earlier that the trail must contain')
    .option('--complete', 'fail if the export withholds an entry or is not the whole trail')
    .option('--tenant <id>', 'the expected organization of the trail')
    .action(async (file: string, options: AuditVerifyOptions) =>
      (await import('../audit-verify/audit-verify-command.ts')).auditVerifyCommand(file, options),
    )
  withAuditFilters(withList(audit.command('list').description('list entries, newest first'))).action(listEntries)
  withAuditFilters(audit.command('export').description('write all entries, oldest first, one JSON object per line'))
    .option('--file <file>', 'the output file; standard output by default')
    .action(exportTrail)
  withOutput(audit.command('check').description('let the control plane check the hash chain of the whole trail'))
    .option('--through <seq:hash>', 'a head recorded earlier that the trail must contain')
    .action(checkTrail)
  withOutput(
    audit.command('proof').description('show the length of the trail, the head of its chain and the last verification'),
  ).action(showProof)
  audit
    .command('verify-now')
    .description('start a verification of the whole trail; `audit proof` shows the result')
    .action(verifyNow)
  withOutput(audit.command('tail').description('show the newest entries, oldest first'))
    .option('-f, --follow', 'keep printing new entries')
    .option('-n, --lines <n>', 'how many entries to print first', '20')
    .option('--event-type <type>', 'such as policy.updated')
    .addOption(new Option('--source <source>').choices(['control_plane', 'edge']))
    .option('--agent <agent>', 'only entries about this agent: its id or name')
    .action(async (options: AuditTailOptions) => (await import('./audit-tail.ts')).auditTail(options))
}
