import type { AccessScope, Role } from '@mandate/contract/words/roles'

/** A user of a tenant, acting in person or through an API key that they created. */
export interface Member {
  kind: 'person' | 'api_key'
  tenantId: string
  userId: string
  accountId: string | null
  email: string
  displayName: string
  /**
   * The user's current role. To check rights, use the functions of `can.ts`: an API key that is bound to an environment never
   * has the authority of an owner, even if its user is an owner.
   */
  role: Role
  /** For an owner this is always `all`, whatever the database contains. */
  accessScope: AccessScope
  academyOnly: boolean
  /** True if the user sees what their role sees, and changes only their own account. */
  readOnly: boolean
  /** The session of a person who has signed in. Absent for an API key. */
  sessionId?: string
  /** When the access token of a person expires, in seconds since 1970. Absent for an API key. */
  tokenExpiresAt?: number
  /** The API key that the request uses. Null for a person. */
  key: ActingKey | null
}

export interface ActingKey {
  id: string
  prefix: string
  name: string
  scopes: readonly string[]
  environmentId: string | null
}

/**
 * The caller of an edge endpoint. `edge`: an edge with an edge key. It acts for every agent of its environment. `agent`: one
 * agent with its agent key.
 */
export type EdgeActor =
  | { kind: 'edge'; tenantId: string; credentialId: string; environmentId: string; name: string }
  | { kind: 'agent'; tenantId: string; credentialId: string; agentId: string; name: string }

/** The server itself, or an operator who uses the command line. Acts in one tenant. */
export interface SystemActor {
  kind: 'system' | 'operator'
  tenantId: string
}

export type Actor = Member | EdgeActor | SystemActor
