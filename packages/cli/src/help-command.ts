import type { Command } from 'commander'
import { usageFailure } from './failure.ts'

/** `help [command...]`: the help of a command at any depth, such as `help agents create`. */
export function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command('help [command...]')
    .description('display help for a command')
    .action((words: string[]) => {
      let at = program
      for (const word of words) {
        const next = at.commands.find((one) => one.name() === word)
        if (!next) throw usageFailure(`there is no command ${words.join(' ')}`, 'mandate --help lists the commands')
        at = next
      }
      at.help()
    })
}
