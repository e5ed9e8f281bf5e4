/** Descriptions of all tags, in the order of the OpenAPI document. `npm run lint` fails for a tag that is missing here. */
export const tags: Readonly<Record<string, string>> = {
  'Sign-in': 'How people sign in: password, second factor, Google, SAML, sessions and invitations.',
  Users: 'The people of a tenant: roles, access scopes, grants and environment access.',
  Tenants: 'The organization: its name, its SAML sign-in, its governance gate and its invitations.',
  Academy: 'Learners: users of the training product only, who take no seat.',
  Environments: 'The parts of a tenant, such as Production. An agent, an API key and a policy can belong to one.',
  'API keys': 'Credentials for programs. A key acts with the role of its creator; scopes and an environment narrow it.',
  Policies: 'Rules that decide the calls of agents, with every version, and simulation before a save.',
  Agents: 'Registered and discovered AI agents: their policy, status, lifecycle status and execution coverage.',
  Reviews: 'Decisions of people about an agent. A review sets the approval of record.',
  Findings: 'What needs attention about an agent. Findings open and close by themselves.',
  Approvals: 'Permissions of people for single pending calls.',
  Edge: 'What edges and agents call with their own keys, and the edge credentials.',
  'Connected platforms': 'External services, such as GitHub, in which agents are discovered.',
  Reports: 'Compliance reports: what was true of agents and policies at one moment, and links to share them.',
  Audit: 'The audit trail: every change, sealed in a chain of hashes, to read, export and verify.',
  Operations: 'Health, metrics and this document, for operators.',
}
