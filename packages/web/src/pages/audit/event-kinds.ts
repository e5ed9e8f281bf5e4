/** The kinds of events that the filter offers: one for each first word of an event. */
export const eventKinds = [
  { value: 'agent.*', text: 'agents' },
  { value: 'policy.*', text: 'policies' },
  { value: 'review.*', text: 'reviews' },
  { value: 'approval.*', text: 'approvals' },
  { value: 'finding.*', text: 'findings' },
  { value: 'freeze.*', text: 'freezes' },
  { value: 'delegation.*', text: 'delegations' },
  { value: 'user.*', text: 'people' },
  { value: 'session.*', text: 'sessions' },
  { value: 'mail.*', text: 'withheld mails' },
  { value: 'api_key.*', text: 'API keys' },
  { value: 'edge.*', text: 'edges' },
  { value: 'environment.*', text: 'environments' },
  { value: 'credential.*', text: 'credentials' },
  { value: 'tool.*', text: 'tools' },
  { value: 'content_pattern.*', text: 'content patterns' },
  { value: 'platform.*', text: 'platforms' },
  { value: 'report.*', text: 'reports' },
  { value: 'tenant.*', text: 'the organization' },
  { value: 'governance_gate.*', text: 'the governance gate' },
]

/** The kinds of objects whose word is not that of the API. */
export const objectWords: Record<string, string> = {
  api_key: 'API key',
  content_pattern: 'content pattern',
  tenant: 'organization',
  user: 'person',
}
