import { Command } from 'commander'
import { addAgentCommands } from './agents/agent-commands.ts'
import { addApiCommand } from './api/api-command.ts'
import { addApprovalCommands } from './approval-commands.ts'
import { addAuditCommands } from './audit/audit-commands.ts'
import { addBackupCommands } from './backup-commands.ts'
import { withSettings } from './command-settings.ts'
import { addCompletionCommand } from './completion/completion-command.ts'
import { addDecisionCommands } from './decisions/decision-commands.ts'
import { addDemoCommand } from './demo-command.ts'
import { addEdgeCommands } from './edge-command.ts'
import { addEdgeCredentialCommands } from './edge-credential-commands.ts'
import { addEnvironmentCommands } from './environments/environment-commands.ts'
import { addEventCommands } from './events/event-commands.ts'
import { addFindingCommands } from './finding-commands.ts'
import { addFreezeCommands } from './freezes/freeze-commands.ts'
import { addHelpCommand } from './help-command.ts'
import { addKeyCommands } from './key-commands.ts'
import { addAccountCommands } from './login/account-commands.ts'
import { addLoginCommands } from './login/login-commands.ts'
import { addSessionCommands } from './login/session-commands.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { addOrganizationCommands } from './organization-commands.ts'
import { addOverviewCommand } from './overview/overview-command.ts'
import { addInvitationCommands } from './people/invitation-commands.ts'
import { addUserCommands } from './people/user-commands.ts'
import { addPlatformCommands } from './platform-commands.ts'
import { addPolicyCommands } from './policies/policy-commands.ts'
import { print } from './print.ts'
import { addReportCommands } from './reports/report-commands.ts'
import { addReviewCommands } from './reviews/review-commands.ts'
import { version } from './version.ts'

/** Builds the program with all commands. */
export function createProgram(): Command {
  const program = new Command('mandate')
    .description(
      'Governance control plane for AI agents. The server’s settings are environment variables; see docs/operations.md.',
    )
    .version(version)
  program
    .command('up')
    .description('start the server; Ctrl-C or SIGTERM stops it')
    .action(async () => {
      const { up } = await import('@mandate/server/commands/up')
      await up()
    })
  program
    .command('version')
    .description('print the version')
    .action(() => print(version))
  addDemoCommand(program)
  addOperatorCommands(program)
  addBackupCommands(program)
  addLoginCommands(program)
  addAccountCommands(program)
  addSessionCommands(program)
  addOverviewCommand(program)
  addAgentCommands(program)
  addPolicyCommands(program)
  addReviewCommands(program)
  addApprovalCommands(program)
  addFindingCommands(program)
  addFreezeCommands(program)
  addDecisionCommands(program)
  addEventCommands(program)
  addUserCommands(program)
  addInvitationCommands(program)
  addOrganizationCommands(program)
  addKeyCommands(program)
  addEnvironmentCommands(program)
  addEdgeCredentialCommands(program)
  addPlatformCommands(program)
  addReportCommands(program)
  addAuditCommands(program)
  addApiCommand(program)
  addCompletionCommand(program)
  addEdgeCommands(program)
  addHelpCommand(program)
  return withSettings(program)
}
