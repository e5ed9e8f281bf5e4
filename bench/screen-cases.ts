import type { Case } from './list-cases.ts'
import type { Fleet } from './seed-fleet.ts'

export interface ScreenCase extends Case {
  /** The page of the dashboard that sends the request. */
  screen: string
  /** Reads the second page of the list. */
  secondPage?: boolean
  /** How many times as long the request may take at full size. */
  goal?: number
}

const on = (screen: string, name: string, path: Case['path'], rest: Partial<ScreenCase> = {}): ScreenCase => ({
  screen,
  name,
  path,
  ...rest,
})

const agent = ({ agentIds }: Fleet) => agentIds[Math.floor(agentIds.length / 2)]
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const lastDay = `from=${hoursAgo(24)}`
const lastWeek = `from=${hoursAgo(168)}`

/** The requests of the dashboard about decisions, with the common and the rare values of each filter. */
export const decisionCases: ScreenCase[] = [
  on('decisions', 'list', '/decisions'),
  on('decisions', 'list, second page', '/decisions', { secondPage: true }),
  on('decisions', 'list of an agent', (fleet) => `/decisions?agent_id=${agent(fleet)}`),
  on('decisions', 'list, effect=deny', '/decisions?effect=deny'),
  on(
    'decisions',
    'list, effect=require_approval, agent',
    (fleet) => `/decisions?effect=require_approval&agent_id=${agent(fleet)}`,
  ),
  on('decisions', 'list, tool', '/decisions?tool=mcp:bank/send'),
  on('decisions', 'list, tool pattern', '/decisions?tool=mcp:*/send'),
  on('decisions', 'list, tool, none', '/decisions?tool=mcp:no/such'),
  on('decisions', 'list, edge', ({ edgeId }) => `/decisions?edge_id=${edgeId}`),
  on('decisions', 'list, rule', ({ ruleId }) => `/decisions?rule_id=${ruleId}`),
  on('decisions', 'list, rare policy', ({ rarePolicyId }) => `/decisions?policy_id=${rarePolicyId}`),
  on(
    'decisions',
    'list, rare environment',
    ({ rareEnvironmentId }) => `/decisions?environment_id=${rareEnvironmentId}`,
  ),
  on('decisions', 'list, a day two weeks ago', () => `/decisions?from=${hoursAgo(360)}&to=${hoursAgo(336)}`),
  on('decisions', 'list, bound key', '/decisions', { key: 'boundKey' }),
  on('decisions', 'list, key bound to ten agents', '/decisions', { key: 'rareBoundKey' }),
  on('decisions', 'list, user with ten agents', '/decisions', { key: 'scopedKey' }),
  on('decisions', 'list, user with one agent in 25', '/decisions', { key: 'wideScopedKey' }),
  on('overview', 'timeline of a day by effect', `/decisions/timeline?${lastDay}`),
  on('decisions', 'timeline of an hour by minute', () => `/decisions/timeline?bucket=minute&from=${hoursAgo(1)}`),
  on('decisions', 'timeline of a week by effect', `/decisions/timeline?${lastWeek}`),
  on('decisions', 'timeline of a week by tool', `/decisions/timeline?${lastWeek}&group_by=tool`),
  on('decisions', 'timeline of a week by policy', `/decisions/timeline?${lastWeek}&group_by=policy`),
  on('decisions', 'timeline of a week by agent', `/decisions/timeline?${lastWeek}&group_by=agent`),
  on('decisions', 'timeline of 29 days by day', () => `/decisions/timeline?bucket=day&from=${hoursAgo(29 * 24)}`),
  on('agent', 'timeline of a week of an agent', (fleet) => `/decisions/timeline?${lastWeek}&agent_id=${agent(fleet)}`),
  on(
    'agent',
    'timeline by tool pattern',
    (fleet) => `/decisions/timeline?${lastDay}&tool=mcp:*/send&agent_id=${agent(fleet)}`,
  ),
  on('decisions', 'timeline of an edge', ({ edgeId }) => `/decisions/timeline?${lastDay}&edge_id=${edgeId}`),
  on('decisions', 'timeline, bound key', `/decisions/timeline?${lastDay}`, { key: 'boundKey' }),
  on('decisions', 'timeline, user with ten agents', `/decisions/timeline?${lastDay}`, { key: 'scopedKey' }),
  on('usage', 'usage of 30 days by day', '/usage'),
  on('usage', 'usage of 30 days by tool', '/usage?group_by=tool'),
  on('usage', 'usage of 30 days by policy', '/usage?group_by=policy'),
  on('usage', 'usage of 30 days by agent', '/usage?group_by=agent'),
  on('policies', 'impact over 7 days', ({ policyId }) => `/policies/${policyId}/simulate`, {
    method: 'POST',
    body: { replay: {}, document: { default_effect: 'allow', rules: [] } },
  }),
  on('policies', 'impact over 30 days', ({ policyId }) => `/policies/${policyId}/simulate`, {
    method: 'POST',
    body: { replay: { days: 30 }, document: { default_effect: 'allow', rules: [] } },
  }),
]
