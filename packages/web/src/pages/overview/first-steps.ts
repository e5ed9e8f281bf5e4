import type { Schema } from '@mandate/sdk'
import { denialOf } from '../../words/denials.ts'

interface Call {
  tool: string
  args: Record<string, string>
}

/** A call of the demonstration server that the starter policy allows. */
export const allowedCall: Call = { tool: 'mcp:demo/read', args: { path: 'draft.txt' } }

/** A call of the demonstration server that the starter policy denies. */
export const deniedCall: Call = { tool: 'mcp:demo/delete', args: { path: 'draft.txt' } }

/** A call of the demonstration server that no rule of the starter policy names, so that it waits for a person. */
export const heldCall: Call = { tool: 'mcp:demo/write', args: { path: 'draft.txt', text: 'The notes are finished.' } }

export const starterName = 'Starter'
export const starterEffect = 'reads are allowed, deletes are denied, all else needs a person'

/** A first policy: it is enforced, and its default effect covers every tool. */
export const starterPolicy = (environmentId: string): Schema<'NewPolicy'> => ({
  name: starterName,
  description: `A first policy: ${starterEffect}.`,
  environment_id: environmentId,
  override_mode: 'enforce',
  default_effect: 'require_approval',
  rules: [
    {
      name: 'Deletes',
      priority: 10,
      effect: 'deny',
      match: { tools: ['mcp:*/*delete*', 'mcp:*/*remove*', 'fn:*/*delete*', 'fn:*/*remove*'] },
      reason: 'Deletes are denied.',
    },
    {
      name: 'Reads',
      priority: 20,
      effect: 'allow',
      match: { tools: ['mcp:*/read*', 'mcp:*/get*', 'mcp:*/list*', 'mcp:*/search*', 'fn:*/read*', 'fn:*/get*'] },
      reason: 'Reads are allowed.',
    },
  ],
})

type Content = Pick<Schema<'Policy'>, 'override_mode' | 'default_effect' | 'dlp_enabled' | 'rules'>

/** True if a version of a policy decides what the starter policy decides. A person may have changed a policy of this name, or made it. */
export function isStarter({ override_mode, default_effect, dlp_enabled, rules }: Content): boolean {
  const starter = starterPolicy('')
  const decides = (rule: Content['rules'][number], index: number) =>
    rule.enabled &&
    !rule.limit &&
    rule.match.when.length === 0 &&
    rule.effect === starter.rules?.[index]?.effect &&
    rule.match.tools.join() === starter.rules[index].match.tools.join()
  const isSame = override_mode === starter.override_mode && default_effect === starter.default_effect && !dlp_enabled
  return isSame && rules.length === starter.rules?.length && rules.every(decides)
}

type FirstAgent = Pick<Schema<'Agent'>, 'id' | 'name' | 'policy' | 'source' | 'lifecycle_status' | 'last_heartbeat_at'>

/**
 * The agent of the checklist: the one with the most steps done. So the checklist never goes back when a second agent is registered.
 * Of several, it is one with the starter policy, then the oldest. `agents` are the newest first.
 */
export function firstAgentOf<A extends FirstAgent>(agents: readonly A[]): A | undefined {
  const own = agents.filter(({ source, policy }) => source === 'runtime' && policy !== null)
  const placeOf = (agent: A) => 2 * doneSteps(agent, {}).size + (agent.policy?.name === starterName ? 1 : 0)
  return own.reduce<A | undefined>((best, agent) => (best && placeOf(best) > placeOf(agent) ? best : agent), undefined)
}

export const stepNames = ['register', 'start', 'approve', 'allow', 'deny'] as const
export type StepName = (typeof stepNames)[number]

/** The oldest of the calls that a policy decided. A freeze or another stop of the agent shows nothing about the policy. `decisions` are the newest first. */
export const firstOfPolicy = <D extends Pick<Schema<'Decision'>, 'policy' | 'denied_because'>>(
  decisions: readonly D[] = [],
): D | undefined => decisions.findLast((decision) => decision.policy !== null && denialOf(decision) === undefined)

/** The first calls of the organization, by their effect. */
export interface FirstCalls {
  allow?: unknown
  deny?: unknown
}

/** The steps that are done, from what the server knows. */
export function doneSteps(agent: FirstAgent | undefined, calls: FirstCalls): ReadonlySet<StepName> {
  const done = {
    register: agent !== undefined,
    start: agent !== undefined && agent.last_heartbeat_at !== null,
    approve: agent?.lifecycle_status === 'approved',
    allow: calls.allow !== undefined,
    deny: calls.deny !== undefined,
  }
  return new Set(stepNames.filter((name) => done[name]))
}

const next: Record<StepName, string> = {
  register: 'Register an agent, and it gets a first policy.',
  start: 'Start the edge that decides the calls of the agent, with a demonstration server.',
  approve: 'Approve the agent.',
  allow: 'Make one call that the policy allows.',
  deny: 'Make one call that the policy denies, and watch it stop here.',
}

/** How many steps are done, and the next one. */
export function sentenceOf(done: ReadonlySet<StepName>): string {
  const step = stepNames.find((name) => !done.has(name))
  const count = `${done.size} of ${stepNames.length} steps ${done.size === 1 ? 'is' : 'are'} done.`
  return `${count} ${step === undefined ? 'A call was denied, and the decision is on record.' : next[step]}`
}
