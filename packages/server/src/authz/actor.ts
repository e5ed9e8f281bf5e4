import type { AccessScope, Role } from '@mandate/contract/roles'

/** A user of a tenant, acting in person or through an API key that they created. */
export interface Member {
  kind: 'person' | 'api_key'
  tenantId: string
  userId: string
  accountId: string | null
  email: string
  displayName: string
  /** The user's current role. An environment-bound key never has an owner's authority, so use the functions of `can.ts` to check rights. */
  role: Role
  /** Always `all` for an owner, whatever the database has. */
  accessScope: AccessScope
  academyOnly: boolean
  /** The session of a person who signed in; absent for an API key. */
  sessionId?: string
  /** The API key of the request. Null for a person. */
  key: ActingKey | null
}

export interface ActingKey {
  id: string
  prefix: string
  name: string
  scopes: readonly string[]
  environmentId: string | null
}

/** `edge`: an edge with an edge key, which serves every agent of its environment. `agent`: one agent with its agent key. */
export type EdgeActor =
  | { kind: 'edge'; tenantId: string; credentialId: string; environmentId: string; name: string }
  | { kind: 'agent'; tenantId: string; credentialId: string; agentId: string; name: string }

/** The server itself, or an operator at the command line, acting in a tenant. */
export interface SystemActor {
  kind: 'system' | 'operator'
  tenantId: string
}

export type Actor = Member | EdgeActor | SystemActor
