import type { AccessScope, Role } from '@mandate/contract/roles'

/** A user of a tenant, acting in person or through an API key that they created. */
export interface Member {
  kind: 'person' | 'api_key'
  tenantId: string
  userId: string
  accountId: string | null
  email: string
  displayName: string
  /** The user's role now. An environment-bound key never has an owner's authority: ask `can.ts`, not this. */
  role: Role
  /** `all` for an owner, whatever is stored. */
  accessScope: AccessScope
  academyOnly: boolean
  /** The session of a person who signed in; absent for an API key. */
  sessionId?: string
  /** The key the request was made with; null for a person. */
  key: ActingKey | null
}

export interface ActingKey {
  id: string
  prefix: string
  name: string
  scopes: readonly string[]
  environmentId: string | null
}

/** An edge with its own credential (serves every agent of its environment), or one agent with its key. */
export type EdgeActor =
  | { kind: 'edge'; tenantId: string; credentialId: string; environmentId: string; name: string }
  | { kind: 'agent'; tenantId: string; credentialId: string; agentId: string; name: string }

/** The service itself, or an operator at the machine's command line, acting in a tenant. */
export interface SystemActor {
  kind: 'system' | 'operator'
  tenantId: string
}

export type Actor = Member | EdgeActor | SystemActor
