import type { Client } from '@mandate/sdk/client'
import type { Input } from '@mandate/sdk/operation'
import { type Command, Option } from 'commander'
import { agentId } from '../find/find-agent.ts'
import { actorId } from '../find/find-user.ts'
import { timeExamples } from '../options/time-examples.ts'
import { timeFrom } from '../options/time-option.ts'

export interface AuditFilterOptions {
  eventType?: string
  source?: 'control_plane' | 'edge'
  agent?: string
  actor?: string
  resourceType?: string
  resource?: string
  from?: string
  to?: string
}

/** Adds the filters of the audit trail to a command. */
export function withAuditFilters(command: Command): Command {
  return command
    .option('--event-type <type>', 'such as policy.updated or policy.*')
    .addOption(new Option('--source <source>').choices(['control_plane', 'edge']))
    .option('--agent <agent>', 'only entries about this agent: its id or name')
    .option('--actor <user>', 'only changes by this user, who may be removed: address, id or name')
    .option('--resource-type <type>', 'such as policy')
    .option('--resource <id>', 'only entries about the resource with this id')
    .option('--from <time>', `written at this time or later, such as ${timeExamples}`)
    .option('--to <time>', 'written before this time; UTC without a zone')
}

/** Converts the options to query parameters. @throws Failure for an invalid time or an unknown agent or user */
export async function auditQuery(client: Client, options: AuditFilterOptions) {
  const { eventType, source, agent, actor, resourceType, resource, from, to } = options
  const query: NonNullable<Input<'exportAuditEntries'>['query']> = {
    event_type: eventType,
    source,
    resource_type: resourceType,
    resource_id: resource,
    from: from === undefined ? undefined : timeFrom('--from', from),
    to: to === undefined ? undefined : timeFrom('--to', to),
    agent_id: agent === undefined ? undefined : await agentId(client, agent),
    actor_id: actor === undefined ? undefined : await actorId(client, actor),
  }
  return query
}
