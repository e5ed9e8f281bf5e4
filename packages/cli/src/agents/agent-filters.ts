import type { Client } from '@mandate/sdk/client'
import type { Input } from '@mandate/sdk/operation'
import { type Command, Option } from 'commander'
import { loadAction } from '../options/load-action.ts'

type Query = NonNullable<Input<'getAgentFacets'>['query']>

const findEnvironment = loadAction(() => import('../find/find-environment.ts'), 'findEnvironment')
const policyId = loadAction(() => import('../find/find-policy.ts'), 'policyId')
const userId = loadAction(() => import('../find/find-user.ts'), 'userId')

export interface AgentFilterOptions {
  status?: Query['status']
  lifecycle?: Query['lifecycle_status']
  coverage?: Query['execution_coverage']
  source?: Query['source']
  search?: string
  environment?: string
  policy?: string
  owner?: string
  drift?: Query['drift']
  framework?: string
  heartbeat?: Query['heartbeat']
}

/** Adds the filters of agents to a command. */
export function withAgentFilters(command: Command): Command {
  return command
    .addOption(new Option('--status <status>').choices(['registered', 'active', 'suspended', 'archived']))
    .addOption(new Option('--lifecycle <status>').choices(['proposed', 'approved', 'blocked', 'retired']))
    .addOption(
      new Option('--coverage <state>').choices(['unknown', 'claimed', 'observed', 'covered', 'partial', 'stale']),
    )
    .addOption(new Option('--source <source>').choices(['runtime', 'github', 'salesforce', 'm365', 'snowflake']))
    .option('--search <text>', 'part of the name')
    .option('--environment <slug>', 'only agents of this environment')
    .option('--policy <policy>', 'only agents with this policy')
    .option('--owner <user>', 'only agents of this user: address, id or name; none for agents without an owner')
    .addOption(new Option('--drift <state>').choices(['true', 'false', 'unknown']))
    .option('--framework <name>', 'only agents with this framework')
    .addOption(new Option('--heartbeat <state>').choices(['recent', 'late', 'never']))
}

/** Converts the options to query parameters. @throws Failure for an unknown environment, policy or user */
export async function agentQuery(client: Client, options: AgentFilterOptions): Promise<Query> {
  const { status, lifecycle, coverage, source, search, environment, policy, owner, drift, framework, heartbeat } =
    options
  return {
    status,
    lifecycle_status: lifecycle,
    execution_coverage: coverage,
    source,
    search,
    environment_id: environment === undefined ? undefined : await findEnvironment(client, environment),
    policy_id: policy === undefined ? undefined : await policyId(client, policy),
    owner_user_id: owner === undefined || owner === 'none' ? owner : await userId(client, owner),
    drift,
    framework,
    heartbeat,
  }
}
