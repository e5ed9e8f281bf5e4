import { Command, CommanderError } from 'commander'
import { addAuditCommands } from './audit-verify/add-audit-commands.ts'
import { addBackupCommands } from './backup-commands.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { print } from './print.ts'
import { version } from './version.ts'

/** Runs one command line. A failure is told in a line on standard error and gives the exit code 1. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = new Command('mandate')
    .description('Governance control plane for AI agents. Settings are environment variables; see docs/operations.md.')
    .version(version)
    .exitOverride()
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
  addOperatorCommands(program)
  addBackupCommands(program)
  addAuditCommands(program)
  // Settings of subcommands are not inherited once they are made.
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().showHelpAfterError('(--help tells more)')
  }
  try {
    await program.parseAsync(argv)
  } catch (error) {
    // Commander has already said what was wrong with the command line.
    if (!(error instanceof CommanderError)) process.stderr.write(`mandate: ${messageOf(error)}\n`)
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A database that refuses a connection on every address says so in parts.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ')
  return error.message || error.name
}
