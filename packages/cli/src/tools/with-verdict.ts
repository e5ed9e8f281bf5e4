import { type Command, Option } from 'commander'
import type { ToolReach } from './show-reach.ts'

const verdicts: readonly ToolReach['verdict'][] = ['allow', 'deny', 'require_approval', 'depends']

/** Adds `--verdict` to a list of what agents may do. */
export function withVerdict(command: Command): Command {
  return command.addOption(new Option('--verdict <verdict>', 'only rows with this verdict').choices(verdicts))
}
