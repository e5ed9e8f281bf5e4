import { z } from 'zod'
import { ChainLink } from './edge.ts'
import { edge, member, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames } from './endpoint/names.ts'
import { integerParam, limit, offset, oneOf, page, text, timestamp, uuid } from './fields/fields.ts'
import { agentId, createdAt, environmentId, mayFields, tenantId } from './fields/shared-fields.ts'
import { signaturePattern } from './fields/signature-pattern.ts'

/** Maximum number of delegations from the person to the agent that acts. */
export const mostDepth = 5
/** Maximum lifetime of a delegation. */
export const mostHours = 24
/** Maximum number of active delegations that one agent holds, and that people made for one user. */
export const mostOfHolder = 500
/** Maximum number of active delegations that people made for one user to one agent. With those that agents passed on, other users still have room. */
export const mostOfUser = 150
/** Maximum number of active delegations that agents passed on from one delegation. */
export const mostPassedOn = 50
/** Maximum number of active delegations that one agent holds and that other agents passed on. The rest is for people. */
export const mostReceived = 250
/** Maximum number of active delegations of a tenant. */
export const mostDelegations = 10_000
/** No delegation is created while this many ended delegations of an environment have not expired. */
export const mostEnded = 10_000
/** A person creates no delegation while this many ended delegations that they made have not expired. */
export const mostEndedOfCreator = 1_000
/** A delegation stays in lists for this many days after it expired. */
export const keptDays = 7

/** The value of `purpose` in a signed token. No other signed document has it. */
export const tokenPurpose = 'delegation'
/** The value of `purpose` in the signed list of ended delegations. */
export const endedPurpose = 'ended_delegations'

export const delegationStates = ['active', 'expired', 'ended'] as const
/** Why a delegation ended before it expired. */
export const delegationEnds = ['revoked', 'access_lost', 'suspended', 'archived', 'blocked', 'retired'] as const
export type DelegationEnd = (typeof delegationEnds)[number]

const tools = z
  .array(text({ min: 1, max: 200 }))
  .min(1, 'must be a list of 1 to 100 tool patterns')
  .max(100, 'must be a list of 1 to 100 tool patterns')

const expiresAt = timestamp.describe(
  `When the delegation expires: in the future, and at most ${mostHours} hours ahead by the clock of the control plane.`,
)

export const NewDelegation = z.object({
  agent_id: agentId.describe('Agent that receives the delegation.'),
  subject_user_id: uuid
    .optional()
    .describe('User for whom the agent acts. The caller if it is left out. Another user needs a manager or an owner.'),
  tools: tools.describe(
    'Tools that the agent may call with the token: 1 to 100 patterns as in policies, such as `mcp:files/*`, each at most 200 characters.',
  ),
  expires_at: expiresAt,
})
export type NewDelegation = z.output<typeof NewDelegation>

export const NewChildDelegation = z.object({
  parent: uuid.describe('Delegation that the delegating agent holds.'),
  agent_id: agentId.describe('Agent that receives the delegation. It is in the same environment.'),
  tools: tools.describe(
    'Tools that the receiver may call: 1 to 100 patterns, each at most 200 characters. Each must be covered by one pattern of the parent.',
  ),
  expires_at: timestamp.describe('When the delegation expires: in the future, and not after the parent.'),
})
export type NewChildDelegation = z.output<typeof NewChildDelegation>

export const CreatedDelegation = z.object({
  id: uuid.describe('Id of the delegation.'),
  token: z
    .string()
    .describe(
      'The token: `md_` and the signed delegation. It is shown once and is not stored. Only the receiving agent can use it.',
    ),
  expires_at: timestamp.describe('When the delegation expires.'),
})
export type CreatedDelegation = z.output<typeof CreatedDelegation>

export const Delegation = z
  .object({
    id: uuid.describe('Id of the delegation.'),
    agent_id: agentId.describe('Agent that holds the delegation.'),
    subject_user_id: uuid.describe('User for whom the agent acts. It stays after that user was removed.'),
    environment_id: environmentId.describe('Environment of the agent.'),
    parent_id: uuid.nullable().describe('Delegation of the agent that delegated on. Null for one that a person made.'),
    depth: z.int().describe(`Place in the chain: 1 for a delegation that a person made, at most ${mostDepth}.`),
    chain: z
      .array(ChainLink)
      .describe('From the user to the agent that holds the delegation, with the names of that time.'),
    tools: z.array(z.string()).describe('Tool patterns. The agent may call the tools that they match.'),
    state: oneOf(delegationStates).describe(
      '`active`: the token is valid. `expired`: its time is over. `ended`: it was ended before.',
    ),
    created_by: uuid
      .nullable()
      .describe('User who made it. It stays after that user was removed. Null if an agent delegated on.'),
    created_at: createdAt,
    expires_at: timestamp.describe('When it expires.'),
    ended_at: timestamp.nullable().describe('When it ended before its time. Null if it did not.'),
    ended_because: oneOf(delegationEnds)
      .nullable()
      .describe(
        'Why it ended: it, or a delegation above it, was revoked; the user was removed, may no longer delegate, or no longer sees the first agent of the chain (`access_lost`); or an agent of the chain was stopped. Null if it did not end.',
      ),
    ended_by: uuid.nullable().describe('User who ended it. Null if it did not end, or if no user did it.'),
    ...mayFields,
  })
  .meta({
    id: 'Delegation',
    description:
      'A permission for an agent to act for a user with some tools, for some time. It never contains the token.',
  })
export type Delegation = z.output<typeof Delegation>

/** One delegation of a signed chain. The first one was made by a person. */
const SignedLink = z.object({
  id: uuid,
  agent: z.object({ id: uuid, name: z.string() }),
  tools: z.array(z.string()).min(1).max(100),
  expires_at: timestamp,
})

/** Each signature has one such text, so that a document has one token. */
const signature = z.string().regex(signaturePattern)

/** The document that a token carries. Edges check tokens with this schema. */
export const SignedDelegation = z.strictObject({
  purpose: z.literal(tokenPurpose),
  tenant_id: tenantId,
  environment_id: environmentId,
  id: uuid,
  subject: z.object({ type: z.literal('user'), id: uuid, name: z.string() }),
  links: z.array(SignedLink).min(1).max(mostDepth),
  issued_at: timestamp,
  signature,
})
export type SignedDelegation = z.output<typeof SignedDelegation>

export const EndedDelegations = z
  .object({
    purpose: z.literal(endedPurpose).describe('Kind of this document.'),
    tenant_id: tenantId,
    environment_id: environmentId,
    version: z
      .int()
      .describe('Version of the list. It rises with each end of a delegation. 0 if the environment never had one.'),
    since: z
      .int()
      .describe(
        'The list has what ended after this version: `since` of the request. 0 if the request has none, or names a version that the server does not have: then replace everything.',
      ),
    ended: z
      .array(
        z.object({
          id: uuid.describe('Delegation that ended. Everything below it ended too.'),
          expires_at: timestamp.describe('When the delegation would have expired. After that it can be forgotten.'),
        }),
      )
      .describe('Delegations that ended before their time and have not expired.'),
    issued_at: timestamp.describe('When the list was signed.'),
    signature: z
      .string()
      .describe(
        'Ed25519 signature, base64, over the RFC 8785 form of the other fields, made like that of a mission profile.',
      ),
  })
  .meta({ id: 'EndedDelegations', description: 'Signed list of the ended delegations of an environment.' })
export type EndedDelegations = z.output<typeof EndedDelegations>

const tag = 'Delegations'

export const delegationEndpoints = {
  listDelegations: endpoint({
    method: 'GET',
    path: '/delegations',
    tag,
    summary: 'List delegations, newest first',
    description: `Delegations of agents that the caller sees. The list has them until ${keptDays} days after they expired. Tokens are never in the answer.`,
    access: viewer,
    query: z.object({
      agent_id: uuid.optional().describe('Only delegations that this agent holds.'),
      limit: limit(),
      offset,
      include: includeMayNames,
    }),
    answers: { 200: page(Delegation) },
    errors: [400],
  }),
  createDelegation: endpoint({
    method: 'POST',
    path: '/delegations',
    tag,
    summary: 'Delegate to an agent',
    description: `Lets an agent act for the caller, or for another user if the caller is a manager or an owner. The user must be a member or above who sees the agent. The token is in this answer and cannot be read again. A call with the token may do what both the policy and the delegation allow. 409 if the agent may not act, and for more than ${mostOfHolder} active delegations of the agent, or that people made for the user, ${mostOfUser} of them to this agent, or ${mostDelegations.toLocaleString('en-US')} of the organization.`,
    access: member,
    liveSession: true,
    body: NewDelegation,
    answers: { 201: CreatedDelegation },
    errors: [400, 403, 404, 409],
  }),
  revokeDelegation: endpoint({
    method: 'DELETE',
    path: '/delegations/{delegation_id}',
    tag,
    summary: 'Revoke a delegation',
    description:
      'Ends the delegation and everything below it. Edges on a stream deny the tokens at once, others after their next heartbeat. The user for whom the agent acts may do this, and every manager and owner. 409 if it has ended or expired.',
    access: viewer,
    params: z.object({ delegation_id: uuid.describe('Id of the delegation.') }),
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  delegateOn: endpoint({
    method: 'POST',
    path: '/edge/delegations',
    tag: 'Edge',
    summary: 'Delegate on to another agent',
    description: `An agent that holds a delegation passes a part of it on. With the own key of an agent, the agent must hold the parent. An edge key may pass on what an agent of its environment holds; the edge must know that this agent asks. The new delegation never has more tools or more time than its parent. A chain is at most ${mostDepth} deep and has no agent twice. 404 for a parent that the key cannot use. 409 if the parent has ended or expired, if the receiver may not act, and for too many active delegations.`,
    access: edge,
    body: NewChildDelegation,
    answers: { 201: CreatedDelegation },
    errors: [400, 404, 409],
  }),
  getEndedDelegations: endpoint({
    method: 'GET',
    path: '/edge/delegations/ended',
    tag: 'Edge',
    summary: 'Read the signed list of ended delegations',
    description:
      'Delegations of the environment of the edge, or of the agent whose own key it is, that ended before they expired. Heartbeat answers and the event `delegations` of `GET /edge/stream` name the current version.',
    access: edge,
    query: z.object({
      since: integerParam({ min: 0, max: 2_147_483_647 }).describe(
        'Only what ended after this version. Everything if it is left out.',
      ),
    }),
    answers: { 200: EndedDelegations },
    errors: [400, 404],
  }),
}
