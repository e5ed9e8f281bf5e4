import type { Schema } from '@mandate/sdk'

/** A link of the sidebar. */
export interface Place {
  to: string
  /** The filters that the link sets. The reader sees them on the page, and can take them out. */
  search?: Record<string, string>
  name: string
  /** The number beside the link, from the overview. */
  count?: (overview: Schema<'Overview'>) => number
  /** True if the number says that something waits for the reader. */
  isCall?: boolean
}

/** The groups of the sidebar. */
export const places: readonly { group: string; places: readonly Place[] }[] = [
  {
    group: 'Now',
    places: [
      { to: '/', name: 'Overview' },
      { to: '/approvals', name: 'Approvals', count: ({ needs_me }) => needs_me.approvals, isCall: true },
      {
        to: '/reviews',
        search: { status: 'pending', mine: 'true' },
        name: 'Reviews',
        count: ({ needs_me }) => needs_me.reviews,
      },
      { to: '/findings', name: 'Findings', count: ({ findings_total }) => findings_total },
      { to: '/freezes', name: 'Freezes' },
    ],
  },
  {
    group: 'Fleet',
    places: [
      { to: '/agents', name: 'Agents', count: ({ agents }) => agents.total },
      { to: '/edges', name: 'Edges', count: ({ edges }) => edges.total },
      { to: '/tools', name: 'Tools' },
      { to: '/models', name: 'Models' },
      { to: '/environments', name: 'Environments' },
      { to: '/platforms', name: 'Connected platforms' },
    ],
  },
  {
    group: 'Rules',
    places: [
      { to: '/policies', name: 'Policies' },
      { to: '/content-patterns', name: 'Content patterns' },
      { to: '/credentials', name: 'Credentials' },
    ],
  },
  {
    group: 'Record',
    places: [
      { to: '/decisions', name: 'Decisions' },
      { to: '/audit', name: 'Audit trail' },
      { to: '/reports', name: 'Reports' },
    ],
  },
  {
    group: 'Organization',
    places: [
      { to: '/team', name: 'Team' },
      { to: '/keys', name: 'API keys' },
      { to: '/settings', name: 'Settings' },
    ],
  },
]

/** The views of the page *Help*, which the menu of the person and the palette open. */
export const helpPages = [
  { to: '/help', name: 'Help', note: 'roles' },
  { to: '/help?tab=glossary', name: 'Glossary', note: 'Help' },
  { to: '/help?tab=documentation', name: 'Documentation', note: 'Help' },
]

/** An action of a page that the palette offers: the page with its dialog. */
interface PageAction {
  name: string
  href: string
  /** The operation that the person must be able to call. */
  operation?: string
}

export const pageActions: readonly PageAction[] = [
  { name: 'Register agent', href: '/agents?dialog=register', operation: 'createAgent' },
  { name: 'Create edge', href: '/edges?dialog=create', operation: 'createEdge' },
  { name: 'Create environment', href: '/environments?dialog=create', operation: 'createEnvironment' },
  { name: 'Connect a platform', href: '/platforms?dialog=connect', operation: 'connectPlatform' },
  { name: 'Create policy', href: '/policies?dialog=create', operation: 'createPolicy' },
  { name: 'Create pattern', href: '/content-patterns?dialog=create', operation: 'createContentPattern' },
  { name: 'Store a credential', href: '/credentials?dialog=create', operation: 'createCredential' },
  { name: 'Create report', href: '/reports?dialog=create', operation: 'createReport' },
  { name: 'Invite', href: '/team?dialog=invite', operation: 'inviteUser' },
  { name: 'Invite a learner', href: '/team?dialog=invite-learner', operation: 'inviteLearner' },
  { name: 'Create key', href: '/keys?dialog=create', operation: 'createApiKey' },
  { name: 'Set up the second factor', href: '/settings?tab=account&dialog=second-factor' },
]
