import { eventually, expectThat } from './expect-that.ts'
import type { Governed } from './govern.ts'
import type { People } from './people.ts'
import { approveReviews } from './reviews.ts'
import type { Stage } from './stage.ts'

const type = 'policy_drift_unapproved'

/**
 * Changes a policy. The edge runs the new version and reports it. The agents drift from their approved version until a person
 * approves the new version.
 */
export async function showDrift(stage: Stage, people: People, governed: Governed): Promise<void> {
  await stage.narrator.step('A change that nobody has approved')
  await raise(stage, people, governed)
  await stage.narrator.step('The change is approved')
  await settle(stage, people, governed)
}

async function raise({ narrator, signal }: Stage, { olivia }: People, { policy, reporter, researcher }: Governed) {
  const saved = await olivia.call('createRule', {
    path: { policy_id: policy.id },
    body: {
      name: 'looking around',
      priority: 40,
      effect: 'allow',
      match: { tools: ['mcp:files/list_directory'] },
      reason: 'names of files are no secret',
    },
  })
  narrator.say(
    `Olivia adds a rule to “${policy.name}” that allows mcp:files/list_directory. This makes version ${saved.policy_version}.`,
  )
  const open = await eventually('drift is found for both agents', signal, async () => {
    const { data } = await olivia.call('listFindings', { query: { type, status: 'open' } })
    return data.length === 2 ? data : undefined
  })
  narrator.say('The edge fetches the new version and reports it in its next heartbeat.')
  for (const { id, name } of [reporter, researcher]) {
    const agent = await olivia.call('getAgent', { path: { agent_id: id } })
    const finding = open.find(({ agent_id }) => agent_id === id)
    expectThat(finding !== undefined && agent.drift === true, `a finding reports the drift of ${name}`)
    const [running, approved] = [agent.running_policy?.version, agent.approved_policy?.version]
    expectThat(running === 2 && approved === 1, `${name} runs version 2 and is approved for version 1`)
    narrator.mark('FOUND', `${type} (${finding.severity}) on ${name}: runs version ${running}, approved is ${approved}`)
  }
}

async function settle({ narrator, signal }: Stage, { olivia, mel }: People, { reporter, researcher }: Governed) {
  const agents = [reporter, researcher]
  await approveReviews(mel, 'change', agents, 'the names may be seen')
  narrator.say('Because of the drift, Mandate opened a change review for each agent. Mel approves both reviews.')
  for (const { id, name } of agents) {
    const finding = await eventually(`the finding on ${name} closes`, signal, async () => {
      const { data } = await olivia.call('listFindings', { query: { type, status: 'closed', agent_id: id } })
      return data[0]
    })
    const agent = await olivia.call('getAgent', { path: { agent_id: id } })
    expectThat(
      agent.drift === false && finding.closed_at !== null,
      `${name} has no drift, and its drift finding is closed`,
    )
    narrator.mark('CLOSED', `${type} on ${name}: approved is now version ${agent.approved_policy?.version}`)
  }
}
