import type { CompiledPolicy } from './evaluate.ts'
import { firstMatch } from './rule-index.ts'

/** Whether a rule for the tool has conditions on `args.`. If so, deciding a call needs the arguments that the tool declares. */
export function asksArguments(policy: CompiledPolicy, tool: string): boolean {
  return firstMatch(policy.index, tool, (rule) => (rule.argumentPath === null ? null : true)) ?? false
}
