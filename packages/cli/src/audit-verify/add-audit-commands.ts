import { type Command, Option } from 'commander'
import type { AuditTailOptions } from '../audit-tail.ts'
import { withOutput } from '../output/format.ts'
import type { AuditVerifyOptions } from './audit-verify-command.ts'

/** `audit verify` checks an export of the trail without the service; `audit tail` shows its newest entries. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('the audit trail: read it, or verify an export offline')
  audit
    .command('verify <file>')
    .description('verify an export of the audit trail (NDJSON; - reads standard input)')
    .requiredOption('--key <file or URL>', 'the service’s public key: a PEM, or the list at /api/v1/edge/signing-key')
    .option('--through <seq:hash>', 'a head noted earlier that the trail must pass through')
    .option('--complete', 'fail where the export withholds an entry, or is not the whole trail')
    .option('--tenant <id>', 'the organization whose trail it must be')
    .action(async (file: string, options: AuditVerifyOptions) =>
      (await import('./audit-verify-command.ts')).auditVerifyCommand(file, options),
    )
  withOutput(audit.command('tail').description('show the newest entries, oldest first'))
    .option('-f, --follow', 'go on with new entries as they are written')
    .option('-n, --lines <n>', 'how many to begin with', '20')
    .option('--event-type <type>', 'such as policy.updated')
    .addOption(new Option('--source <source>').choices(['control_plane', 'edge']))
    .option('--agent <agent>', 'about one agent: its id or name')
    .action(async (options: AuditTailOptions) => (await import('../audit-tail.ts')).auditTail(options))
}
