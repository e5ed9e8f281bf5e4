import { Command, CommanderError } from 'commander'
import { addAgentCommands } from './agents/agent-commands.ts'
import { addApprovalCommands } from './approval-commands.ts'
import { addAuditCommands } from './audit-verify/add-audit-commands.ts'
import { addBackupCommands } from './backup-commands.ts'
import { addCompletionCommand } from './completion/completion-command.ts'
import { explain } from './connection/explain-error.ts'
import { addDemoCommand } from './demo-command.ts'
import { addEdgeCommands } from './edge-command.ts'
import { readEnvironment } from './environment.ts'
import { addEnvironmentCommands } from './environment-commands.ts'
import { addFindingCommands } from './finding-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addAccountCommands } from './login/account-commands.ts'
import { addLoginCommands } from './login/login-commands.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { addPolicyCommands } from './policies/policy-commands.ts'
import { print } from './print.ts'
import { addReviewCommands } from './review-commands.ts'
import { version } from './version.ts'

/** Runs one command line. A failure is told on standard error; the exit code is 1, or 2 for a command line that means nothing. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = createProgram()
  // A reader that has seen enough, such as `head`, is no failure. A hook writes only of calls that it stops.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(isHook(argv) ? 2 : 0)
    throw error
  })
  try {
    await program.parseAsync(argv)
  } catch (error) {
    const { message, hint, exitCode } = explain(error, readEnvironment().apiKey !== undefined)
    // Commander has already said what was wrong with the command line.
    if (!(error instanceof CommanderError)) process.stderr.write(`mandate: ${message}${hint ? `\n  ${hint}` : ''}\n`)
    process.exitCode = isHook(argv) && exitCode !== 0 ? 2 : exitCode
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
  addKeyCommands(program)
  addEnvironmentCommands(program)
  addAuditCommands(program)
  addCompletionCommand(program)
  addEdgeCommands(program)
  // Settings of subcommands are not inherited once they are made.
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().showHelpAfterError('(--help tells more)')
  }
  return program
}

// A coding agent lets a call pass when its hook fails with any other code than 2.
const isHook = ([, , ...words]: readonly string[]) => words[0] === 'edge' && words.includes('hook')
