import type { ApiKey } from '../api-keys.ts'
import type { Environment } from '../environments.ts'
import type { ConnectedPlatform } from '../platforms.ts'
import type { Tenant } from '../tenants.ts'
import type { Examples } from './example.ts'
import { ids, listOf } from './ids.ts'

export const tenant: Tenant = {
  id: ids.tenant,
  name: 'Analytical Engines',
  plan: 'pro',
  governance_gate: 'alert',
  saml_enabled: false,
  saml_email_domain: '',
  decision_retention_days: 90,
  created_at: '2026-01-05T09:00:00.000Z',
}

const invited = {
  user_id: ids.user,
  tenant_id: ids.tenant,
  email: 'charles@example.com',
  role: 'member',
  read_only: false,
  message: 'An invitation for charles@example.com has been created.',
  mail_delivery: 'mail_server',
} as const

const environment: Environment = {
  id: ids.development,
  tenant_id: ids.tenant,
  name: 'Staging',
  slug: 'staging',
  is_production: false,
  governance_mode: 'enforce',
  tool_pinning: 'alert',
  keep_arguments_for_replay: false,
  created_at: '2026-01-05T09:00:00.000Z',
}

const apiKey: ApiKey = {
  id: ids.apiKey,
  tenant_id: ids.tenant,
  created_by: ids.user,
  name: 'Deployment pipeline',
  key_prefix: 'mk_0a1b2',
  scopes: ['agents:read', 'policies:*'],
  environment_id: ids.development,
  expires_at: '2999-01-01T00:00:00.000Z',
  created_at: '2026-02-10T12:00:00.000Z',
}

const { environment_id: _, ...tenantWideKey } = apiKey

const platform: ConnectedPlatform = {
  id: ids.platform,
  tenant_id: ids.tenant,
  kind: 'github',
  name: 'Engines on GitHub',
  config: { organization: 'engines', base_url: 'https://github.example.com/api/v3' },
  has_auth_secret: true,
  last_sync_status: null,
  last_sync_at: null,
  last_error: null,
  created_at: '2026-02-12T12:00:00.000Z',
}

const synced: ConnectedPlatform = {
  ...platform,
  last_sync_status: 'succeeded',
  last_sync_at: '2026-03-02T06:00:00.000Z',
}

export const tenantExamples: Examples = {
  getOwnTenant: { response: { tenant } },
  getTenant: { response: tenant },
  updateTenant: { request: { name: 'Analytical Engines' }, response: tenant },
  deleteTenant: { request: { confirm: 'Analytical Engines' } },
  inviteUser: { request: { email: 'charles@example.com', role: 'member' }, response: invited },
  inviteLearner: {
    request: { email: 'mary@example.com' },
    response: {
      ...invited,
      user_id: ids.learner,
      email: 'mary@example.com',
      role: 'viewer',
      read_only: false,
      message: 'An invitation for mary@example.com has been created.',
      mail_delivery: 'mail_server',
    },
  },
  getGovernanceGate: { response: { gate: 'alert' } },
  setGovernanceGate: { request: { gate: 'enforce' }, response: { gate: 'enforce' } },
  listEnvironments: { response: listOf(environment) },
  createEnvironment: {
    request: {
      name: 'Staging',
      slug: 'staging',
      is_production: false,
      governance_mode: 'enforce',
      tool_pinning: 'enforce',
    },
    response: environment,
  },
  getEnvironment: { response: environment },
  updateEnvironment: { request: { name: 'Staging' }, response: environment },
  previewEnvironmentDeletion: {
    response: { reports_kept: 4, live_share_links: 1, reports_listed: 3, api_keys: 2, agents: 0 },
  },
  createApiKey: {
    request: {
      name: 'Deployment pipeline',
      environment_id: ids.development,
      scopes: ['agents:read', 'policies:*'],
      expires_at: '2999-01-01T00:00:00.000Z',
    },
    response: { ...apiKey, raw_key: `mk_0a1b2${'0'.repeat(59)}` },
  },
  listApiKeys: { response: listOf({ ...apiKey, last_used_at: '2026-03-02T08:10:00.000Z' }) },
  bindApiKey: { request: { environment_id: null }, response: tenantWideKey },
  revokeApiKey: { response: { ...apiKey, revoked_at: '2026-03-02T09:00:00.000Z' } },
  listPlatforms: { response: listOf(synced) },
  connectPlatform: {
    request: {
      kind: 'github',
      name: 'Engines on GitHub',
      config: { organization: 'engines', base_url: 'https://github.example.com/api/v3' },
      auth_secret: 'github-token',
    },
    response: platform,
  },
  syncPlatform: { response: synced },
}
