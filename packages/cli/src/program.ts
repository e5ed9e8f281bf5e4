import { Command, CommanderError } from 'commander'
import { addAgentCommands } from './agents/agent-commands.ts'
import { addApiCommand } from './api/api-command.ts'
import { addApprovalCommands } from './approval-commands.ts'
import { addAuditCommands } from './audit/audit-commands.ts'
import { addBackupCommands } from './backup-commands.ts'
import { addCompletionCommand } from './completion/completion-command.ts'
import { explain } from './connection/explain-error.ts'
import { addDemoCommand } from './demo-command.ts'
import { addEdgeCommands } from './edge-command.ts'
import { addEdgeCredentialCommands } from './edge-credential-commands.ts'
import { readEnvironment } from './environment.ts'
import { addEnvironmentCommands } from './environments/environment-commands.ts'
import { addFindingCommands } from './finding-commands.ts'
import { addHelpCommand, optionDescription } from './help-command.ts'
import { addKeyCommands } from './key-commands.ts'
import { addAccountCommands } from './login/account-commands.ts'
import { addLoginCommands } from './login/login-commands.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { addOrganizationCommands } from './organization-commands.ts'
import { addUserCommands } from './people/user-commands.ts'
import { addPlatformCommands } from './platform-commands.ts'
import { addPolicyCommands } from './policies/policy-commands.ts'
import { print } from './print.ts'
import { addReportCommands } from './reports/report-commands.ts'
import { addReviewCommands } from './reviews/review-commands.ts'
import { version } from './version.ts'

/** Runs one command line. An error is written to standard error; the exit code is then 1, or 2 for a wrong command line. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = createProgram()
  // A reader that has seen enough, such as `head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  try {
    await program.parseAsync(argv)
  } catch (error) {
    const { message, hint, exitCode } = explain(error, readEnvironment().apiKey !== undefined)
    // Commander has already said what was wrong with the command line.
    if (!(error instanceof CommanderError)) process.stderr.write(`mandate: ${message}${hint ? `\n  ${hint}` : ''}\n`)
    process.exitCode = exitCode === 0 ? 0 : isHook(argv) ? 2 : isDiff(argv) ? 1 : exitCode
  }
}

/** Every command, with its options and its help. */
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
  addAgentCommands(program)
  addPolicyCommands(program)
  addReviewCommands(program)
  addApprovalCommands(program)
  addFindingCommands(program)
  addUserCommands(program)
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
  // Settings of subcommands are not inherited once they are made.
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError('(--help tells more)').configureHelp({ optionDescription })
  }
  return program
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

// A coding agent lets a call pass when its hook fails with any other code than 2.
const isHook = ([, , ...words]: readonly string[]) => words[0] === 'edge' && words.includes('hook')

// 2 says that something differs, and nothing else.
const isDiff = ([, , ...words]: readonly string[]) => words[0] === 'policies' && words[1] === 'diff'
