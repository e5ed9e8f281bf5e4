import { join } from 'node:path'
import type { Schema } from '@mandate/sdk/operation'
import { expectThat } from './expect-that.ts'
import type { People } from './people.ts'
import { approveReviews } from './reviews.ts'
import type { Stage } from './stage.ts'

export interface Governed {
  policy: Schema<'Policy'>
  reporter: Schema<'Agent'>
  researcher: Schema<'Agent'>
}

const rulesFor = (secrets: string): Schema<'NewRule'>[] => [
  {
    name: 'no secrets',
    priority: 10,
    effect: 'deny',
    match: { tools: ['mcp:files/*'], when: [{ path: 'args.path', op: 'under', value: secrets }] },
    reason: 'secrets stay where they are',
  },
  {
    name: 'reading',
    priority: 20,
    effect: 'allow',
    match: { tools: ['mcp:files/read_text_file'] },
    reason: 'notes are there to be read',
  },
  {
    name: 'writing',
    priority: 30,
    effect: 'require_approval',
    match: { tools: ['mcp:files/write_file'] },
    reason: 'a person looks at what is written',
  },
]

/** Creates a policy and two agents that it governs. A person approves the two agents. */
export async function governAgents(
  { narrator, folder }: Stage,
  { olivia, mel, developmentId }: People,
): Promise<Governed> {
  await narrator.step('A policy, and two agents that it governs')
  const policy = await olivia.call('createPolicy', {
    body: {
      name: 'Shared files',
      environment_id: developmentId,
      override_mode: 'enforce',
      default_effect: 'deny',
      rules: rulesFor(join(folder, 'files', 'secrets')),
    },
  })
  narrator.say(`Olivia writes the policy “${policy.name}”. It denies every call that no rule allows.`)
  for (const { name, effect, match } of policy.rules) {
    const where = match.when.map(({ path, op, value }) => ` where ${path} ${op} ${value}`).join('')
    narrator.say(`  ${effect.padEnd(16)}  ${match.tools.join(', ')}${where}  (“${name}”)`)
  }
  const register = async (name: string) => {
    const body = { name, environment_id: developmentId, policy_id: policy.id }
    return (await olivia.call('createAgent', { body })).agent
  }
  const agents = [await register('Reporter'), await register('Researcher')] as const
  expectThat(
    agents.every(({ lifecycle_status }) => lifecycle_status === 'proposed'),
    'each new agent has the lifecycle status `proposed`',
  )
  narrator.say(
    'She registers the agents Reporter and Researcher with this policy. The agents are proposed until a review approves them.',
  )
  await approveReviews(mel, 'onboarding', agents, 'read with the security team')
  narrator.say('Mel approves the two agents.')
  narrator.say(
    `Version ${policy.version} of the policy is now approved for both agents. If an agent runs another version, this is drift.`,
  )
  return { policy, reporter: agents[0], researcher: agents[1] }
}
