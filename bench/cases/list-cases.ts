import type { Fleet } from '../seed-fleet.ts'

export interface Case {
  name: string
  path: string | ((fleet: Fleet) => string)
  method?: 'GET' | 'POST' | 'DELETE'
  body?: object
  /** Expected status; 200 by default. */
  status?: number
  key?: 'key' | 'boundKey' | 'rareBoundKey' | 'sparseBoundKey' | 'scopedKey' | 'wideScopedKey'
  /** Uses the fleet whose agents have almost no evidence. */
  quiet?: boolean
}

const listOf =
  (path: string) =>
  (query: string, note = ''): Case => ({ name: `${query || 'no filter'}${note}`, path: `${path}?${query}` })

const asked = listOf('/agents')
const [rare, none] = [', rare', ', none']

/** Requests for the agent list. Each filter has a common value, and a value of only ten agents or of none. Then combined filters. */
export const agentCases: Case[] = [
  asked(''),
  asked('governance_state=discovered'),
  asked('governance_state=suppressed', rare),
  asked('status=active'),
  asked('status=suspended', rare),
  asked('status=archived', rare),
  asked('source=github'),
  asked('source=snowflake', rare),
  asked('source=m365', none),
  asked('lifecycle_status=proposed'),
  asked('lifecycle_status=blocked', rare),
  asked('lifecycle_status=retired', none),
  { ...asked('execution_coverage=unknown'), quiet: true },
  asked('execution_coverage=unknown', rare),
  ...['claimed', 'observed', 'covered'].flatMap((state) => [
    asked(`execution_coverage=${state}`),
    { ...asked(`execution_coverage=${state}`, rare), quiet: true },
  ]),
  asked('execution_coverage=partial', rare),
  asked('execution_coverage=stale', rare),
  asked('search=agent'),
  asked('search=panda', ', one in 25'),
  asked('search=lynx', ', one in 100'),
  // The small tenant has only 20 matching agents.
  asked('search=lynx&page_size=20', ', one in 100'),
  asked('search=zebra', rare),
  asked('search=unicorn', none),
  asked('search=t'),
  asked('search=z', rare),
  asked('search=zq', none),
  asked('status=active&search=zebra', rare),
  asked('status=suspended&search=agent', rare),
  asked('execution_coverage=covered&search=zebra', rare),
  asked('execution_coverage=stale&search=agent', rare),
  asked('execution_coverage=stale&status=active', rare),
  asked('status=active&lifecycle_status=approved'),
  asked('status=active&lifecycle_status=blocked', rare),
  asked('source=m365&status=active', none),
  ...sortedCases(),
  ...seenBy({ key: 'boundKey', name: 'bound key' }, ['', 'status=suspended', 'search=zebra']),
  ...seenBy({ key: 'rareBoundKey', name: 'bound key, rare' }, ['', 'status=active']),
  ...seenBy({ key: 'scopedKey', name: 'scoped user, rare' }, ['', 'status=active', 'search=agent']),
]

/** Requests with the filters and orders that need other columns, for the list and for the counts. */
function sortedCases(): Case[] {
  const filters: [string, string?][] = [
    ['framework=framework'],
    ['framework=rare', rare],
    ['drift=true', rare],
    ['drift=unknown'],
    ['owner_user_id=none'],
    ['heartbeat=recent'],
    ['heartbeat=late', rare],
    ['heartbeat=never'],
    ['drift=unknown&framework=framework&status=active'],
  ]
  const orders = ['attention', 'name', 'last_heartbeat'].flatMap((sort) => [
    asked(`sort=${sort}`),
    asked(`sort=${sort}&framework=framework`),
    asked(`sort=${sort}&framework=rare`, rare),
    asked(`sort=${sort}&drift=true`, rare),
    asked(`sort=${sort}&heartbeat=late`, rare),
    asked(`sort=${sort}&status=archived&lifecycle_status=blocked`, none),
    ...seenBy({ key: 'scopedKey', name: 'scoped user, rare' }, [`sort=${sort}`]),
    ...seenBy({ key: 'boundKey', name: 'bound key' }, [`sort=${sort}`]),
  ])
  const facets = withPath(
    '/agents/facets',
    ['', 'framework=rare', 'framework=framework', 'framework=framework&status=active', 'execution_coverage=stale'].map(
      (query) => listOf('/agents/facets')(query),
    ),
  )
  return [...filters.map(([query, note]) => asked(query, note)), ...orders, ...facets].map((one) => ({
    ...one,
    name: `more: ${one.name}`,
  }))
}

type Seen = { key: NonNullable<Case['key']>; name: string }

function seenBy({ key, name }: Seen, queries: string[], path = '/agents'): Case[] {
  return queries.map((query) => ({ ...listOf(path)(query), key, name: query ? `${name}, ${query}` : name }))
}

/** Callers who see a part of the tenant: from nearly all agents down to ten. */
const partial: Seen[] = [
  { key: 'boundKey', name: 'bound key' },
  { key: 'sparseBoundKey', name: 'bound key, agents without records' },
  { key: 'wideScopedKey', name: 'scoped user, one agent in 250' },
  { key: 'rareBoundKey', name: 'bound key, ten agents' },
  { key: 'scopedKey', name: 'scoped user, ten agents' },
]

function withPath(path: string, cases: Case[]): Case[] {
  return cases.map((one) => ({ ...one, name: `${path} ${one.name}` }))
}

const recordsOf = (path: string, queries: [string, string?][], partialQueries: string[]) =>
  withPath(path, [
    ...queries.map(([query, note]) => listOf(path)(query, note)),
    ...partial.flatMap((seen) => seenBy(seen, partialQueries, path)),
  ])

const day = 24 * 60 * 60_000
const daysAgo = (days: number) => encodeURIComponent(new Date(Date.now() - days * day).toISOString())

/** Requests for other data that grows with a tenant: records of its agents, its audit trail and its policies. */
export const recordCases: Case[] = [
  ...recordsOf(
    '/findings',
    [
      [''],
      ['status=open'],
      ['status=closed&limit=200&offset=9000'],
      ['type=evidence_stale'],
      ['type=unapproved_running', rare],
      ['type=unapproved_running&status=open', none],
    ],
    ['', 'status=open', 'type=unapproved_running'],
  ),
  ...recordsOf(
    '/reviews',
    [
      [''],
      ['status=approved'],
      ['status=pending', rare],
      ['kind=attestation', none],
      ['kind=change&status=pending', none],
    ],
    ['', 'status=pending'],
  ),
  ...recordsOf(
    '/approvals',
    [
      [''],
      ['status=consumed'],
      ['status=pending'],
      ['status=expired'],
      ['status=rejected', rare],
      ['status=approved', none],
    ],
    ['', 'status=pending', 'status=expired'],
  ),
  ...recordsOf(
    '/audit',
    [
      [''],
      [`from=${daysAgo(20)}&to=${daysAgo(19.9)}`, ', an hour or two'],
      [`to=${daysAgo(29.9)}`, ', the oldest'],
      ['resource_type=agent'],
      ['resource_type=platform', rare],
      ['resource_type=nothing', none],
      ['source=control_plane'],
      ['source=edge'],
      ['event_type=agent.archived', rare],
      ['source=edge&event_type=agent.archived', rare],
      [`source=edge&from=${daysAgo(20)}&to=${daysAgo(10)}`],
    ],
    ['', 'source=edge'],
  ),
  { name: '/audit actor_id, rare', path: ({ userId }) => `/audit?actor_id=${userId}` },
  { name: '/audit actor_id and source, rare', path: ({ userId }) => `/audit?actor_id=${userId}&source=control_plane` },
  ...withPath('/policies', [
    listOf('/policies')(''),
    listOf('/policies')('include=rules'),
    ...partial.flatMap((seen) => seenBy(seen, ['include=rules'], '/policies')),
  ]),
  {
    name: '/policies environment_id, none',
    path: ({ rareEnvironmentId }) => `/policies?environment_id=${rareEnvironmentId}`,
  },
  ...[7, 30].map(
    (days): Case => ({
      name: `replay of ${days} days`,
      path: ({ policyId }) => `/policies/${policyId}/simulate`,
      method: 'POST',
      body: { replay: { days } },
    }),
  ),
  {
    name: 'refusing to delete an environment',
    path: ({ environmentId }) => `/environments/${environmentId}`,
    method: 'DELETE',
    status: 409,
  },
]

/** The overview of callers who see all agents, one environment, or granted agents. The first request finds no cached counts. */
export const overviewCases: Case[] = [
  { name: '/overview', path: '/overview' },
  ...seenBy({ key: 'boundKey', name: '/overview bound key' }, [''], '/overview'),
  ...seenBy({ key: 'scopedKey', name: '/overview scoped user, ten agents' }, [''], '/overview'),
  ...seenBy({ key: 'wideScopedKey', name: '/overview scoped user, one agent in 250' }, [''], '/overview'),
]

/** Lists with the names of other objects. */
export const namedCases: Case[] = [
  '/agents',
  '/findings',
  '/reviews',
  '/approvals',
  '/audit',
  '/policies',
  '/api-keys',
  '/edges',
].flatMap((path) =>
  withPath(path, [
    listOf(path)('include=names'),
    ...seenBy({ key: 'scopedKey', name: 'scoped user' }, ['include=names'], path),
  ]),
)

/** Requests right after `changeMany`, for filter values that were common before and are now rare or absent. */
export const changedCases: Case[] = [
  ...withPath('/agents', [
    asked(''),
    asked('lifecycle_status=approved'),
    asked('lifecycle_status=blocked', rare),
    asked('lifecycle_status=blocked&status=active', rare),
    asked('status=suspended', rare),
    asked('execution_coverage=stale'),
    asked('execution_coverage=partial', rare),
    ...seenBy({ key: 'scopedKey', name: 'scoped user, rare' }, ['lifecycle_status=approved']),
  ]),
  ...recordsOf(
    '/findings',
    [[''], ['status=open', none], ['type=policy_drift_unapproved&status=open', none]],
    ['status=open'],
  ),
  ...recordsOf('/approvals', [['status=pending', none], ['status=expired']], ['status=pending']),
]
