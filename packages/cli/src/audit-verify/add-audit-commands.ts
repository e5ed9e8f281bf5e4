import type { Command } from 'commander'
import { type AuditVerifyOptions, auditVerifyCommand } from './audit-verify-command.ts'

/** `audit verify`: checks an export of the audit trail without the service. */
export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('the audit trail, offline')
    .command('verify <file>')
    .description('verify an export of the audit trail (NDJSON; - reads standard input)')
    .requiredOption('--key <file or URL>', 'the service’s public key: a PEM, or the list at /api/v1/edge/signing-key')
    .option('--through <seq:hash>', 'a head noted earlier that the trail must pass through')
    .action((file: string, options: AuditVerifyOptions) => auditVerifyCommand(file, options))
}
