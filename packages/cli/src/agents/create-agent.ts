import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import { connect } from '../connection/connect.ts'
import { allEnvironments, environmentId } from '../find/find-environment.ts'
import { policyId } from '../find/find-policy.ts'
import { userId } from '../find/find-user.ts'
import { usageFailure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showOne } from '../output/show.ts'
import { type AgentFieldOptions, agentFields } from './agent-fields.ts'
import type { fields } from './show-agent.ts'

interface Options extends OutputOptions, AgentFieldOptions {
  environment?: string
  policy?: string
  owner?: string
}

export async function createAgent(name: string, options: Options): Promise<void> {
  const { environment, policy, owner, description, framework, model, tool, metadata, ...output } = options
  const { client } = await connect()
  const body = {
    name,
    ...agentFields({ description, framework, model, tool, metadata }),
    ...(environment !== undefined && { environment_id: environmentId(await allEnvironments(client), environment) }),
    ...(policy !== undefined && { policy_id: await policyId(client, policy) }),
    ...(owner !== undefined && { owner_user_id: await userId(client, owner) }),
  }
  const created = await client
    .call('createAgent', { body })
    .catch((error) => explainEnvironment(error, client, environment))
  showCreated(created, output)
}

/** If the environment is missing, the API error names the body field. This error names the command option instead. */
async function explainEnvironment(error: unknown, client: Client, environment: string | undefined): Promise<never> {
  const isMissing = environment === undefined && error instanceof MandateError && error.status === 400
  if (!isMissing || !error.message.startsWith('environment_id')) throw error
  const slugs = (await allEnvironments(client)).map(({ slug }) => slug).join(', ')
  throw usageFailure('--environment is required', `environments you can see: ${slugs || 'none'}`)
}

/** Prints an agent with its new key. The key is never shown again. */
export function showCreated(
  answer: { agent: Parameters<(typeof fields)[0]['value']>[0]; agent_key: string },
  options: OutputOptions,
) {
  note('The key is shown only now. Store it where the agent’s edge reads it, and nowhere else.')
  showOne(answer, options, [
    { title: 'Name', value: ({ agent }) => agent.name },
    { title: 'Id', value: ({ agent }) => agent.id },
    { title: 'Environment', value: ({ agent }) => agent.environment?.slug },
    { title: 'Lifecycle', value: ({ agent }) => agent.lifecycle_status },
    { title: 'Key', value: ({ agent_key }) => agent_key },
  ])
}
