import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { findEnvironment } from '../find/find-environment.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showDone, showOne } from '../output/show.ts'
import { inWords } from '../overview/in-sentence.ts'

interface Options extends OutputOptions {
  reason: string
  drill?: true
  preview?: true
}

type Client = Awaited<ReturnType<typeof connect>>['client']
type Target = Pick<Schema<'Freeze'>, 'scope'> & { agent_id?: string; environment_id?: string }

export async function freezeAgent(named: string, options: Options): Promise<void> {
  const { client } = await connect()
  await freeze(client, { scope: 'agent', agent_id: await agentId(client, named) }, options)
}

export async function freezeEnvironment(named: string, options: Options): Promise<void> {
  const { client } = await connect()
  await freeze(client, { scope: 'environment', environment_id: await findEnvironment(client, named) }, options)
}

export async function freezeOrganization(options: Options): Promise<void> {
  const { client } = await connect()
  await freeze(client, { scope: 'organization' }, options)
}

async function freeze(client: Client, target: Target, { reason, drill, preview, ...output }: Options): Promise<void> {
  if (preview) {
    return showOne(await client.call('previewFreeze', { query: target }), output, [
      { title: 'Agents', value: ({ agents }) => inWords(agents) },
      { title: 'Edges', value: ({ edges, silent }) => `${inWords(edges)}, ${inWords(silent)} silent` },
      { title: 'Pending approvals', value: ({ approvals }) => inWords(approvals) },
    ])
  }
  const started = await client.call('createFreeze', { body: { ...target, reason, ...(drill && { drill }) } })
  const { id, name, agents } = started
  const covered = agents === null ? '' : `: ${inWords(agents)} ${agents === 1 ? 'agent' : 'agents'}`
  showDone(drill ? `The drill on ${name} has started${covered}.` : `${name} is frozen${covered}.`, started, output)
  note(`To see which edges confirmed: mandate freezes show ${id}`)
}
