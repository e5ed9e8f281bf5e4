import type { Command } from 'commander'
import { didYouMean } from '../find/did-you-mean.ts'
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
        if (!next) {
          const suggestion = didYouMean(
            word,
            at.commands.map((one) => one.name()),
          )
          throw usageFailure(`unknown command ${words.join(' ')}`, suggestion ?? 'mandate --help lists the commands')
        }
        at = next
      }
      at.help()
    })
}
