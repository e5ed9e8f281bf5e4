import type { Client } from '@mandate/sdk/client'
import type { Input } from '@mandate/sdk/operation'
import { type Command, Option } from 'commander'
import { agentId } from '../find/find-agent.ts'
import { allEnvironments, environmentId } from '../find/find-environment.ts'
import { policyId } from '../find/find-policy.ts'
import { timeExamples } from '../options/time-examples.ts'
import { timeFrom } from '../options/time-option.ts'

type Query = NonNullable<Input<'getDecisionTimeline'>['query']>

export interface DecisionFilterOptions {
  agent?: string
  policy?: string
  rule?: string
  edge?: string
  environment?: string
  tool?: string
  effect?: NonNullable<Query['effect']>
  mode?: NonNullable<Query['mode']>
  from?: string
  to?: string
}

/** Adds the filters of decisions to a command. */
export function withDecisionFilters(command: Command): Command {
  return command
    .option('--agent <agent>', 'only calls of this agent: its id or name')
    .option('--policy <policy>', 'only calls that this policy decided: its id or name')
    .option('--rule <id>', 'only calls that this rule decided')
    .option('--edge <id>', 'only calls that this edge decided')
    .option('--environment <environment>', 'only calls of agents of this environment: its slug, id or name')
    .option('--tool <pattern>', 'only calls of this tool, such as "mcp:files/*"')
    .addOption(new Option('--effect <effect>').choices(['allow', 'deny', 'require_approval']))
    .addOption(new Option('--mode <mode>').choices(['enforce', 'monitor']))
    .option('--from <time>', `decided at this time or later, such as ${timeExamples}`)
    .option('--to <time>', 'decided before this time; UTC without a zone')
}

/** Converts the options to query parameters. @throws Failure for an invalid time or an unknown agent, policy or environment */
export async function decisionQuery(client: Client, options: DecisionFilterOptions) {
  const { agent, policy, rule, edge, environment, tool, effect, mode, from, to } = options
  return {
    agent_id: agent === undefined ? undefined : await agentId(client, agent),
    policy_id: policy === undefined ? undefined : await policyId(client, policy),
    rule_id: rule,
    edge_id: edge,
    environment_id: environment === undefined ? undefined : environmentId(await allEnvironments(client), environment),
    tool,
    effect,
    mode,
    from: from === undefined ? undefined : timeFrom('--from', from),
    to: to === undefined ? undefined : timeFrom('--to', to),
  }
}
