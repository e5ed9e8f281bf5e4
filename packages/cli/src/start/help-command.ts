import type { Command } from 'commander'
import { usageFailure } from '../invocation/failure.ts'

/** Adds `help [command...]`, which shows the help of any command, such as `help agents create`. */
export function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command('help [command...]')
    .description('display help for a command')
    .action((words: string[]) => {
      let at = program
      for (const word of words) {
        const next = at.commands.find((one) => one.name() === word)
        if (!next) throw usageFailure(`unknown command ${words.join(' ')}`, 'mandate --help lists the commands')
        at = next
      }
      at.help()
    })
}
