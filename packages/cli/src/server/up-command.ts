import type { Command } from 'commander'
import { ownProcess } from '../invocation/invocation.ts'
import { printVersion } from './version.ts'

/** Adds `up` and `version`. */
export function addUpCommands(program: Command): void {
  program
    .command('up')
    .description('start the server; Ctrl-C or SIGTERM stops it')
    .action(async () => {
      ownProcess()
      const { up } = await import('@mandate/server/commands/up')
      await up()
    })
  program.command('version').description('print the version').action(printVersion)
}
