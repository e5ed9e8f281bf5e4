import { Argument, type Command } from 'commander'
import { print } from '../output/print.ts'
import { bashScript } from './bash-script.ts'
import { describeCommands } from './describe-commands.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** Adds `completion <shell>`, which prints a script that completes commands and options. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
  bash   mandate completion bash > ~/.local/share/bash-completion/completions/mandate
  zsh    mandate completion zsh > a folder of $fpath, as _mandate
  fish   mandate completion fish > ~/.config/fish/completions/mandate.fish`,
    )
    .action((shell: keyof typeof scripts) => print(scripts[shell](describeCommands(program))))
}
