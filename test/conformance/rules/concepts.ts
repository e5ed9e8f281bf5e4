import type { Section } from '../rule.ts'

export const concepts: Section = {
  title: 'Concepts and conventions',
  rules: [
    {
      id: 'concepts.tenant.1',
      says: 'Every user, agent, key and policy belongs to exactly one tenant.',
      heldBy: [
        'tenant_id is the first column of each primary key and unique index',
        'a row cannot be moved to another tenant',
        'a key works in its own tenant only',
      ],
    },
    {
      id: 'concepts.tenant.2',
      says: 'A person has a role in one tenant only.',
      heldBy: [
        '409 user_elsewhere for an address with a user in another tenant; the invitation does not change',
        '409 for an address that already has a user, in upper or lower case; nothing is written',
        'never moves a user: an address with a user in another tenant is refused',
      ],
    },
    {
      id: 'concepts.roles.1',
      says: 'Roles rank viewer, member, manager, owner. A higher role may do everything that a lower role may do.',
      heldBy: [
        'a %s of a(n) %s: the whole matrix of other users and roles',
        '%s answers as documented, and a refusal writes nothing',
        'the whole matrix equals the committed one',
      ],
    },
    {
      id: 'concepts.scope.1',
      says: 'Access scope all sees the whole tenant.',
      heldBy: ['200 for any user with access scope all: all environments of the tenant and none of another'],
    },
    {
      id: 'concepts.scope.2',
      says: 'A scoped user sees only the agents granted to them and the environments they have access to.',
      heldBy: [
        'a scoped user sees the agents granted to them, a bound key those of its environment, and a scoped user’s bound key those that both see',
        'a scoped user lists only those they have access to; any other is 404, and new access applies at once',
      ],
    },
    {
      id: 'concepts.scope.3',
      says: 'An owner is never scoped.',
      heldBy: [
        'toWireUser > an owner always has access scope all, whatever is stored',
        'a scoped user who becomes an owner sees everything, and is scoped again after losing the role',
        'of the user who created it > an owner is never scoped',
      ],
    },
    {
      id: 'concepts.environment.1',
      says: 'A production environment cannot be deleted.',
      heldBy: [
        '%s: 404 for an environment of another organization, 400 for production and for an id that is not a UUID',
      ],
    },
    {
      id: 'concepts.agent.1',
      says: 'An agent comes from the runtime or is discovered in a connected platform.',
      heldBy: [
        'a discovered agent has a source and no environment, and waits to be governed or suppressed',
        '201 with the agent, which has exactly the fields of the contract, and its key',
      ],
    },
    {
      id: 'concepts.learner.1',
      says: 'An Academy learner holds no platform seat.',
      heldBy: ['a learner takes no seat and can be invited when all seats are in use', 'learners take no seat'],
    },
    {
      id: 'concepts.learner.2',
      says: 'A learner keeps the viewer role until given platform access.',
      heldBy: [
        '409 academy_only_user with its text for role %s',
        '202 like an invitation of a user; the user is a pending learner with the viewer role',
        '200 gives an accepted learner the role %s: they are no longer a learner, and both roles are audited',
      ],
    },
    {
      id: 'concepts.plan.1',
      says: 'SAML sign-in needs the enterprise plan.',
      heldBy: ['402 without the Enterprise plan, with minimum_plan and current_plan, on %s'],
    },
    {
      id: 'concepts.plan.2',
      says: 'A plan has a user limit, max_users.',
      heldBy: ['an operator’s limit replaces the plan’s, higher or lower; a plan without a limit has none'],
    },
    {
      id: 'concepts.gate.1',
      says: 'The governance gate is off, alert or enforce. It decides the first lifecycle status of a new agent.',
      heldBy: [
        'gate %s: the agent is proposed and an onboarding review is opened',
        'gate off: the agent is approved and no review is opened',
        'GET and PUT /governance-gate > 400 for a value out of the enum',
      ],
    },
    {
      id: 'conventions.1',
      says: 'Ids are UUIDs, timestamps ISO 8601, bodies JSON.',
      heldBy: [
        'describes limits as integers with bounds, ids as UUIDs and times as date-times',
        'broken JSON, another type of value, another content type',
      ],
    },
    {
      id: 'conventions.2',
      says: 'At every endpoint, a path id that must be a UUID and is not a UUID is 400.',
      heldBy: [
        '%s: 400 that names the path id which is not a UUID',
        'the order is 401, then scope 403, then the path id',
      ],
    },
    {
      id: 'conventions.3',
      says: 'Every endpoint needs authentication, and returns 401 without it.',
      heldBy: [
        '%s answers as documented, and a refusal writes nothing',
        'and 401, 429 and 503 for every endpoint that needs a credential',
      ],
    },
    {
      id: 'fields.user.1',
      says: 'A user shows id, email, display_name, role, status, academy_only, mfa_enrolled, access_scope, created_at.',
      heldBy: [
        'has exactly the fields of the contract, each from the column of the same name',
        'every user of the tenant may read any other user, and their own record',
      ],
    },
    {
      id: 'fields.user.2',
      says: 'Status pending means an invitation that is not accepted yet.',
      heldBy: ['202 with user_id, tenant_id, email, role, message and mail_delivery; the user is pending'],
    },
    {
      id: 'fields.tenant.1',
      says: 'A tenant shows id, name, saml_enabled, saml_email_domain, and never the four other SAML fields.',
      heldBy: [
        '200 for any user of the tenant, and no stored SAML setting is shown',
        'turning SAML on with every field returns the tenant without the four hidden fields',
      ],
    },
    {
      id: 'fields.grant.1',
      says: 'A grant has its own id, the type agent and the agent’s id.',
      heldBy: [
        '201 for a new grant, which shows the user the agent, audited with the agent',
        '400 for a resource type other than agent, an id that is not a UUID, and a missing field',
      ],
    },
    {
      id: 'fields.environment-access.1',
      says: 'An access entry has its own id, and the environment’s id, name and slug.',
      heldBy: [
        '200 for an owner, a manager and the user themselves, with the environment’s name and slug; 403 for others',
        '204 by the entry’s id, not the environment’s, audited; a second call is 404',
      ],
    },
    {
      id: 'fields.agent.1',
      says: 'An agent has its status, source, governance and lifecycle states, mode, coverage and environment.',
      heldBy: [
        '201 with the agent, which has exactly the fields of the contract, and its key',
        '200 with the agents newest first, each with exactly the contract’s fields, and no token on the last page',
      ],
    },
    {
      id: 'fields.agent.2',
      says: 'governance_mode follows the override_mode of the assigned policy.',
      heldBy: [
        'a %s agent becomes governed under the policy',
        'an agent created with a policy is governed, and its mode is that of the policy, or of the environment if the policy inherits it',
      ],
    },
    {
      id: 'fields.agent.3',
      says: 'A discovered agent has no environment.',
      heldBy: ['a discovered agent has a source and no environment, and waits to be governed or suppressed'],
    },
    {
      id: 'fields.coverage.1',
      says: 'Coverage contains its state, the runtime’s claim, what reached the edge, and the open findings.',
      heldBy: [
        'from the latest attestation and the latest execution stats, each shown in its own field',
        'from the open findings, which are shown with their remediation; closed findings do not count',
      ],
    },
    {
      id: 'fields.coverage.2',
      says: 'Coverage is computed when it is read, and never stored.',
      heldBy: ['never from a stored value: evidence becomes stale without a write'],
    },
    {
      id: 'fields.coverage.3',
      says: 'The agent contains the same object that the coverage endpoint returns.',
      heldBy: ['with the same result for the agent, its list item, the list’s filter and its own endpoint'],
    },
    {
      id: 'fields.key.1',
      says: 'A key has its fields; a field without a value is omitted.',
      heldBy: [
        '201 with raw_key once: mk_ and 64 lower-case hexadecimal characters; prefix has its first 8, and only the hash is stored',
        'revoked and expired keys are included; a revoked key has revoked_at; a field without a value is left out',
      ],
    },
    {
      id: 'fields.key.2',
      says: 'key_prefix is the first 8 characters. Only the create response has raw_key. Only the hash is stored.',
      heldBy: [
        '201 with raw_key once: mk_ and 64 lower-case hexadecimal characters; prefix has its first 8, and only the hash is stored',
      ],
    },
    {
      id: 'fields.key.3',
      says: 'last_used_at is absent until first use and updated on each request.',
      heldBy: [
        'last_used_at is absent until the first use and then exact, also for the key of the request',
        'last_used_at is updated on each request of the key',
      ],
    },
    {
      id: 'fields.key.4',
      says: 'A key is mk_ and 64 hexadecimal characters. The text does not show the environment or the access.',
      heldBy: [
        'a key is mk_ and 64 lower-case hexadecimal characters, and similar texts are invalid keys',
        '200 with the updated key; its string and prefix do not change, and it works in its new environment at once',
      ],
    },
    {
      id: 'fields.key.5',
      says: 'Scopes are texts <resource>:<action>. No scope means unrestricted.',
      heldBy: ['201 with scopes, environment and expiry as sent', '%j: %s by %s is permitted: %s'],
    },
  ],
}
