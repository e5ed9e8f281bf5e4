import type { User } from '../users.ts'
import type { Examples } from './example.ts'
import { ids, listOf } from './ids.ts'

export const user: User = {
  id: ids.user,
  tenant_id: ids.tenant,
  email: 'ada@example.com',
  display_name: 'Ada Lovelace',
  role: 'member',
  status: 'active',
  academy_only: false,
  mfa_enrolled: true,
  factors: ['totp'],
  federated: false,
  access_scope: 'all',
  read_only: false,
  last_active_at: '2026-03-02T08:15:00.000Z',
  created_at: '2026-01-05T09:00:00.000Z',
}

export const owner: User = {
  ...user,
  id: ids.owner,
  email: 'grace@example.com',
  display_name: 'Grace Hopper',
  role: 'owner',
}

const grant = {
  id: ids.grant,
  resource_type: 'agent',
  resource_id: ids.agent,
  created_at: '2026-02-01T10:00:00.000Z',
} as const

const access = {
  id: ids.environmentAccess,
  environment_id: ids.development,
  environment_name: 'Development',
  environment_slug: 'development',
  created_at: '2026-02-01T10:00:00.000Z',
}

export const peopleExamples: Examples = {
  listUsers: { response: listOf(user) },
  getUser: { response: user },
  updateUser: { request: { display_name: 'Ada Lovelace' }, response: user },
  previewRemoval: {
    response: {
      api_keys: { count: 2, last_used_at: '2026-03-02T08:10:00.000Z' },
      agents_owned: 3,
      open_reviews: 1,
    },
  },
  resetMfa: { response: { ...user, mfa_enrolled: false, factors: [] } },
  grantPlatformAccess: { request: { role: 'member' }, response: { ...user, id: ids.learner } },
  setAccessScope: { request: { access_scope: 'scoped' }, response: { ...user, access_scope: 'scoped' } },
  listGrants: { response: { grants: [grant] } },
  createGrant: { request: { resource_type: 'agent', resource_id: ids.agent }, response: grant },
  listEnvironmentAccess: { response: { environment_access: [access] } },
  createEnvironmentAccess: { request: { environment_id: ids.development }, response: access },
}
