import { type Command, Option } from 'commander'
import { verdicts } from './show-reach.ts'

/** Adds `--verdict` to a list of what agents may do. */
export function withVerdict(command: Command): Command {
  return command.addOption(new Option('--verdict <verdict>', 'only rows with this verdict').choices(verdicts))
}
