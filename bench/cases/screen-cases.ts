import type { Fleet } from '../seed-fleet.ts'
import type { GuardIds } from '../seed-guard.ts'
import type { Case } from './list-cases.ts'

/** A fleet, and the rows that a person opens. */
export interface Scene extends Fleet, GuardIds {
  findingAgentId: string
  reviewId: string
  approvalId: string
  decisionId: string
}

export interface ScreenCase extends Omit<Case, 'path'> {
  path: string | ((scene: Scene) => string)
  /** The page of the dashboard that sends the request. */
  screen: string
  /** Reads the second page of the list. */
  secondPage?: boolean
  /** The server caches the counts for 10 seconds. Every request is sent after that. */
  isCached?: boolean
  /** How many times as long the request may take at full size. */
  goal?: number
}

const on = (screen: string, name: string, path: ScreenCase['path'], rest: Partial<ScreenCase> = {}): ScreenCase => ({
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
const decisionCases: ScreenCase[] = [
  on('decisions', 'list', '/decisions'),
  on('decisions', 'list, second page', '/decisions', { secondPage: true }),
  on('decisions', 'list of an agent', (fleet) => `/decisions?agent_id=${agent(fleet)}`),
  on('decisions', 'list, effect=deny', '/decisions?effect=deny'),
  on('decisions', 'replay', ({ decisionId }) => `/decisions/${decisionId}/replay?include=names`),
  on('decisions', 'one', ({ decisionId }) => `/decisions/${decisionId}?include=names`),
  on(
    'decisions',
    'list, effect=require_approval, agent',
    (fleet) => `/decisions?effect=require_approval&agent_id=${agent(fleet)}`,
  ),
  on('decisions', 'list, tool', '/decisions?tool=mcp:bank/send'),
  on('decisions', 'list, tool pattern', '/decisions?tool=mcp:*/send'),
  on('decisions', 'list, tool, none', '/decisions?tool=mcp:no/such'),
  on('decisions', 'list, edge', ({ edgeId }) => `/decisions?edge_id=${edgeId}`),
  on('decisions', 'list, rare edge', ({ rareEdgeId }) => `/decisions?edge_id=${rareEdgeId}`),
  on('decisions', 'list, rare edge, effect=deny', ({ rareEdgeId }) => `/decisions?edge_id=${rareEdgeId}&effect=deny`),
  on('decisions', 'list, mode=monitor, none', '/decisions?mode=monitor'),
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
  on('decisions', 'list, user with one agent in 250', '/decisions', { key: 'wideScopedKey' }),
  on('overview', 'timeline of a day by effect', `/decisions/timeline?${lastDay}`),
  on('decisions', 'timeline of an hour by minute', () => `/decisions/timeline?bucket=minute&from=${hoursAgo(1)}`),
  on('decisions', 'timeline of a week by effect', `/decisions/timeline?${lastWeek}`),
  on('decisions', 'timeline of a week by tool', `/decisions/timeline?${lastWeek}&group_by=tool`),
  on('decisions', 'timeline of a week by policy', `/decisions/timeline?${lastWeek}&group_by=policy`),
  on('decisions', 'timeline of a week by agent', `/decisions/timeline?${lastWeek}&group_by=agent`),
  ...['effect=deny', 'mode=enforce', 'tool=mcp:bank/send'].map((filter) =>
    on(
      'decisions',
      `timeline of a week by agent, ${filter}`,
      `/decisions/timeline?${lastWeek}&group_by=agent&${filter}`,
    ),
  ),
  on(
    'decisions',
    'timeline of a week by agent, rare policy',
    ({ rarePolicyId }) => `/decisions/timeline?${lastWeek}&group_by=agent&policy_id=${rarePolicyId}`,
  ),
  on(
    'decisions',
    'timeline of a week by agent, edge',
    ({ edgeId }) => `/decisions/timeline?${lastWeek}&group_by=agent&edge_id=${edgeId}`,
  ),
  on('decisions', 'timeline of a day by agent', `/decisions/timeline?${lastDay}&group_by=agent`),
  on('decisions', 'timeline of a day by agent, effect', `/decisions/timeline?${lastDay}&group_by=agent&effect=allow`),
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

/** The requests of a list, one for each query. */
const queries = (screen: string, path: string, all: string[], rest: Partial<ScreenCase> = {}) =>
  all.map((query) => on(screen, query ? `${path}?${query}` : path, query ? `${path}?${query}` : path, rest))

const callers: [string, NonNullable<Case['key']>][] = [
  ['bound key', 'boundKey'],
  ['user with ten agents', 'scopedKey'],
  ['user with one agent in 250', 'wideScopedKey'],
]

/** The first request of a screen, by callers who see a part of the tenant. */
const inPart = (screen: string, path: string, rest: Partial<ScreenCase> = {}) =>
  callers.map(([name, key]) => on(screen, `${path}, ${name}`, path, { key, ...rest }))

const overviewCases: ScreenCase[] = [
  on('overview', 'counts, not cached', '/overview?include=names', { isCached: true, goal: 3 }),
  ...inPart('overview', '/overview', { isCached: true, goal: 3 }),
  on('overview', 'counts, cached', '/overview?include=names'),
]

const agentCases: ScreenCase[] = [
  ...queries('agents', '/agents', [
    'sort=attention&include=names,activity,may',
    'sort=name&include=names,activity,may',
    'sort=last_heartbeat&include=names,activity,may',
    'governance_state=discovered&include=names,may',
    'drift=true&sort=attention',
    'heartbeat=late',
    'heartbeat=never',
    'execution_coverage=stale',
    'execution_coverage=unknown',
    'framework=rare',
    'lifecycle_status=blocked',
    'search=panda',
    'search=panda&sort=attention&include=names,activity',
    'search=unicorn',
    'status=active&lifecycle_status=approved&execution_coverage=covered',
  ]),
  ...queries('agents', '/agents/facets', [
    '',
    'execution_coverage=stale',
    'framework=rare',
    'framework=framework&status=active&lifecycle_status=approved',
    'search=panda',
  ]),
  ...inPart('agents', '/agents?sort=attention&include=names,activity,may'),
  ...inPart('agents', '/agents/facets'),
  on('agent', 'one', (scene) => `/agents/${agent(scene)}?include=names,activity,may`),
  on('agent', 'coverage', (scene) => `/agents/${agent(scene)}/execution-coverage?include=names`),
  on('agent', 'history', (scene) => `/agents/${agent(scene)}/timeline`),
  on('agent', 'findings', (scene) => `/findings?agent_id=${agent(scene)}`),
  on('agent', 'findings of an agent in need', ({ findingAgentId }) => `/findings?agent_id=${findingAgentId}`),
  on('agent', 'reviews', (scene) => `/reviews?agent_id=${agent(scene)}`),
  on('agent', 'approvals', (scene) => `/approvals?agent_id=${agent(scene)}`),
  on('agent', 'audit entries', (scene) => `/audit?agent_id=${agent(scene)}`),
]

const recordCases: ScreenCase[] = [
  ...queries('approvals', '/approvals', [
    'mine=true&include=names,may',
    'status=pending&include=names,may',
    'include=names',
  ]),
  ...inPart('approvals', '/approvals?mine=true&include=names,may'),
  on('approvals', 'one', ({ approvalId }) => `/approvals/${approvalId}?include=names,may`),
  ...queries('reviews', '/reviews', [
    'mine=true&include=names,may',
    'status=pending&include=names,may',
    'include=names',
  ]),
  ...inPart('reviews', '/reviews?mine=true&include=names,may'),
  on('reviews', 'one', ({ reviewId }) => `/reviews/${reviewId}?include=names,may`),
  ...queries('findings', '/findings', [
    'sort=attention&include=names',
    'status=open&sort=attention&include=names',
    'severity=critical&status=open',
    'severity=medium&sort=opened_at',
    'type=unapproved_running',
  ]),
  ...inPart('findings', '/findings?status=open&sort=attention&include=names'),
  ...queries('policies', '/policies', [
    'include=names,may',
    'sort=name',
    'sort=updated_at',
    'search=policy 77',
    'search=reading',
  ]),
  ...inPart('policies', '/policies?include=names,may'),
  on('policies', 'one', ({ policyId }) => `/policies/${policyId}?include=names,may`),
  on('policies', 'versions', ({ policyId }) => `/policies/${policyId}/versions`),
  on('policies', 'diff of versions', ({ policyId }) => `/policies/${policyId}/versions/2?against=1`),
]

const otherCases: ScreenCase[] = [
  ...queries('edges', '/edges', ['include=names,may', 'silent=true']),
  on('edges', 'one', ({ edgeId }) => `/edges/${edgeId}?include=names,may`),
  on('environments', 'list', '/environments?include=may'),
  on('environments', 'deletion preview', ({ environmentId }) => `/environments/${environmentId}/deletion-preview`),
  on('platforms', 'list', '/platforms?include=may'),
  on('team', 'list', '/users?include=access,may'),
  on('team', 'one', ({ userId }) => `/users/${userId}?include=access,may`),
  on('team', 'removal preview', ({ userId }) => `/users/${userId}/removal-preview`),
  on('keys', 'list', '/api-keys?include=names,may'),
  ...queries('audit', '/audit', [
    'include=names',
    'source=control_plane&include=names',
    `from=${hoursAgo(480)}&to=${hoursAgo(456)}`,
  ]),
  ...inPart('audit', '/audit?include=names'),
  on('audit', 'proof', '/audit/proof?include=names'),
  on('reports', 'list', '/reports?include=names,may'),
  on('settings', 'organization', ({ tenantId }) => `/tenants/${tenantId}?include=may`),
]

const guardCases: ScreenCase[] = [
  ...queries('tools', '/tools', [
    'include=names,may',
    'state=new&include=names',
    'state=changed&include=names',
    'warning=hidden_characters',
    'label=destructive',
    'server=mail',
    'search=tool 77',
  ]),
  ...queries('tools', '/tools/facets', ['', 'state=changed']),
  ...inPart('tools', '/tools?include=names,may'),
  ...inPart('tools', '/tools/facets'),
  on('tool', 'one', ({ toolId }) => `/tools/${toolId}?include=names,may`),
  on('tool', 'agents that reach it', ({ toolId }) => `/tools/${toolId}/reach?include=names`),
  on('agent', 'tools in reach', (scene) => `/agents/${agent(scene)}/reach?include=names`),
  on('agent', 'delegations', (scene) => `/delegations?agent_id=${agent(scene)}&include=names,may`),
  on('delegations', 'list', '/delegations?include=names,may'),
  ...queries('freezes', '/freezes', ['include=names,may', 'active=true&include=names,may']),
  ...inPart('freezes', '/freezes?include=names,may'),
  on('freezes', 'drill with open confirmations', ({ drillId }) => `/freezes/${drillId}?include=names,may`),
  on('freezes', 'edges of the drill', ({ drillId }) => `/freezes/${drillId}/edges?include=names`),
  on('freezes', 'lifted freeze', ({ liftedFreezeId }) => `/freezes/${liftedFreezeId}?include=names,may`),
  on('freezes', 'preview for the organization', '/freezes/preview?scope=organization'),
  on(
    'freezes',
    'preview for an environment',
    ({ environmentId }) => `/freezes/preview?scope=environment&environment_id=${environmentId}`,
  ),
  on('freezes', 'preview for an agent', (scene) => `/freezes/preview?scope=agent&agent_id=${agent(scene)}`),
  ...queries('edges', '/edges/instances', ['include=names', 'credential=agent&include=names', 'silent=true']),
  on(
    'edges',
    'instances of an environment',
    ({ environmentId }) => `/edges/instances?environment_id=${environmentId}&include=names`,
  ),
  on('credentials', 'list', '/credentials?include=names,may'),
  on('content', 'patterns', '/content-patterns?include=may'),
  on('content', 'bindings of a policy', ({ policyId }) => `/policies/${policyId}/content-bindings`),
  on('models', 'list', '/models'),
  on('team', 'grants of a user', ({ userId }) => `/users/${userId}/grants?include=names`),
]

/** The requests of the dashboard's screens. */
export const screenCases: ScreenCase[] = [
  ...overviewCases,
  ...agentCases,
  ...recordCases,
  ...decisionCases,
  ...guardCases,
  ...otherCases,
]
