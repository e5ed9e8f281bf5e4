import type { OperationId } from '@mandate/contract/endpoints'
import type { World } from './world.ts'

type Example = (world: World) => unknown

/**
 * A well-formed body for every endpoint that takes one. The sweeps fail for an endpoint that is missing here, so none
 * goes unswept.
 */
export const exampleBodies: Partial<Record<OperationId, Example>> = {
  updateUser: () => ({ display_name: 'Ada' }),
  grantPlatformAccess: () => ({ role: 'member' }),
  setAccessScope: () => ({ access_scope: 'scoped' }),
  createGrant: ({ ids }) => ({ resource_type: 'agent', resource_id: ids.agent_id }),
  createEnvironmentAccess: ({ ids }) => ({ environment_id: ids.environment_id }),
  updateTenant: () => ({ name: 'Renamed' }),
  deleteTenant: ({ tenant }) => ({ confirm: tenant.name }),
  inviteUser: () => ({ email: `someone-${Math.random().toString(36).slice(2)}@example.com`, role: 'viewer' }),
  inviteLearner: () => ({ email: `learner-${Math.random().toString(36).slice(2)}@example.com` }),
  setGovernanceGate: () => ({ gate: 'enforce' }),
  createEnvironment: () => ({ name: 'Staging', slug: `staging-${Math.random().toString(36).slice(2)}` }),
  updateEnvironment: () => ({ name: 'Renamed' }),
  createApiKey: ({ ids }) => ({ name: 'key', environment_id: ids.environment_id }),
  bindApiKey: ({ tenant }) => ({ environment_id: tenant.production }),
  register: () => ({ email: someone(), password: 'a long password', display_name: 'Ada', organization: 'Engines' }),
  signIn: () => ({ email: someone(), password: 'a long password', otp: '000000' }),
  refresh: () => ({ refresh_token: 'unknown' }),
  exchange: () => ({ code: 'unknown' }),
  signOut: () => ({ refresh_token: 'unknown' }),
  acceptInvitation: () => ({ token: 'unknown', password: 'a long password', otp: '000000', display_name: 'Ada' }),
  forgotPassword: () => ({ email: someone() }),
  resetPassword: () => ({ token: 'unknown', password: 'a long password' }),
  startTotp: () => ({ password: 'a long password' }),
  confirmTotp: () => ({ otp: '000000' }),
}

function someone(): string {
  return `someone-${Math.random().toString(36).slice(2)}@example.com`
}
