import type { Section } from '../rule.ts'

export const authentication: Section = {
  title: 'Authentication, environment scoping, scopes',
  rules: [
    {
      id: 'auth.1a',
      says: 'Every request is authenticated: programs by API key as a bearer token.',
      heldBy: ['without a header, with another scheme, and with an empty or doubled token'],
    },
    {
      id: 'auth.1b',
      says: 'People sign in by password, Google or SAML, and send a session token.',
      heldBy: [
        '200 {session, user} for the address in upper or lower case',
        'a sign-in with Google > 302 to the dashboard with a code, which the browser exchanges once for a session; no URL contains a token',
        'the tenant’s own provider > signs in a user of the tenant, but not a person whose invitation has expired',
      ],
    },
    {
      id: 'auth.2',
      says: 'A key is mk_ and 64 hexadecimal characters.',
      heldBy: ['a key is mk_ and 64 lower-case hexadecimal characters, and similar texts are invalid keys'],
    },
    {
      id: 'auth.3',
      says: 'An unknown, revoked or expired key gets the same 401 “invalid API key” with code 401.',
      heldBy: ['an unknown, revoked or expired key gets one answer that does not reveal which case applies'],
    },
    {
      id: 'auth.4',
      says: 'A key whose binding cannot be read is refused. It does not become tenant-wide.',
      heldBy: [
        'is refused, and gets no wider access, if its environment is gone',
        "is 401 when bound to another tenant's",
      ],
    },
    {
      id: 'auth.5a',
      says: 'A key acts with its creator’s current role and never exceeds it.',
      heldBy: ['a role change applies to the key immediately, and the key never exceeds the role'],
    },
    {
      id: 'auth.5b',
      says: 'A change of scope, agent grants or environment access applies to the key at once.',
      heldBy: [
        'a change of access scope or environment access applies to the key immediately',
        'a change of agent grants applies to the keys of a scoped user at once',
      ],
    },
    {
      id: 'auth.5c',
      says: 'If the creator is removed, the keys are deleted and stop working at once.',
      heldBy: [
        'the removal of the creator deletes the keys, and they stop working immediately',
        '401 when the creator is removed before the body has arrived',
      ],
    },
    {
      id: 'auth.5d',
      says: 'A scoped user’s key sees only the agents and environments granted to that user.',
      heldBy: [
        'a scoped user sees the agents granted to them, a bound key those of its environment, and a scoped user’s bound key those that both see',
        'an environment-bound key > sees only what both its environment and its creator allow',
      ],
    },
    {
      id: 'binding.1',
      says: 'Lists contain only resources of the key’s environment, and for a scoped creator only those that the creator sees.',
      heldBy: [
        'a scoped user sees the agents granted to them, a bound key those of its environment, and a scoped user’s bound key those that both see',
        'lists and reads only its environment’s policies; other policies, and those of all environments, are 404',
        'sees no more than its scoped creator',
        'a scoped user’s bound key sees the entries that the user and the key both may see',
        'are shown with their entries to callers who see the agent; a bound key sees those of its environment’s agents',
      ],
    },
    {
      id: 'binding.2',
      says: 'A resource of another environment is 404, like an unknown id.',
      heldBy: [
        '%s is 404 with the same bytes for an unknown agent, an agent of another tenant and an invisible one; nothing is written',
        'lists and reads only its environment’s policies; other policies, and those of all environments, are 404',
        'an environment-bound key lists only its own, and nothing if its creator has no access',
      ],
    },
    {
      id: 'binding.3',
      says: 'A new agent or policy without an environment goes to the key’s environment. Another environment is 403.',
      heldBy: [
        'with an environment-bound key, a request without an environment uses the key’s; another environment is 403, even with a malformed body',
        'creates a policy in its environment if none is sent; another environment, or all, is 403, before the 400 of a malformed body',
      ],
    },
    {
      id: 'binding.3b',
      says: 'A report without an environment covers the key’s environment. Another environment is 403.',
      heldBy: [
        'a bound key’s report is of its environment; another environment, or the organization, is 403, even with a malformed body',
      ],
    },
    {
      id: 'binding.4',
      says: 'Organization-wide reports are 403 for a bound key.',
      heldBy: [
        'a bound key’s report is of its environment; another environment, or the organization, is 403, even with a malformed body',
        'a bound key and a scoped user see their environments’ reports; any other report is 404 like an unknown id',
      ],
    },
    {
      id: 'binding.5',
      says: 'It cannot change any key’s environment, and creates only keys of its own environment.',
      heldBy: [
        '403 whatever the role of its creator, also for a member',
        'an environment-bound key creates only keys bound to its own environment',
      ],
    },
    {
      id: 'binding.6a',
      says: 'It cannot do owner actions: making an owner, by invitation or role.',
      heldBy: [
        'only an owner invites an owner: 403 for a manager and for an environment-bound key, even an owner’s',
        '403 with its texts: it makes no owner, changes no owner’s role and renames no other owner',
      ],
    },
    {
      id: 'binding.6b',
      says: 'Owner actions are also: changing an owner’s role, profile, MFA or access.',
      heldBy: [
        '403 with its texts: it makes no owner, changes no owner’s role and renames no other owner',
        'rule 3: an environment-bound key has a manager’s rights, even an owner’s key',
        '403 for a manager or an environment-bound key, even an owner’s, if the user is an owner or a pending owner',
        'a manager may grant to all users, also to an owner; an environment-bound key not to an owner (403)',
        '403 for an environment-bound key if the user is an owner; a manager may',
        '403 for an environment-bound key if the user is an owner',
      ],
    },
    {
      id: 'binding.6c',
      says: 'Owner actions are also: removing a user, and resetting a manager’s MFA.',
      heldBy: [
        'rule 1: 403 for an environment-bound API key, even an owner’s; an owner’s tenant-wide key may',
        'rule 3: an environment-bound key has a manager’s rights, even an owner’s key',
      ],
    },
    {
      id: 'binding.6d',
      says: 'Owner actions are also: changing the organization’s settings, SAML or gate, and deleting an environment or the organization.',
      heldBy: [
        'PUT /tenants/{id}: permissions > 403 for callers who are not an owner, and for an environment-bound key, even an owner’s',
        '403 for callers who are not an owner, and for an owner’s environment-bound key, whatever the body',
        '%s: 403 for an owner’s environment-bound key, even for its own environment',
        '403 for callers who are not an owner, for an owner’s bound key and for another tenant’s owner, whatever the body',
      ],
    },
    {
      id: 'binding.6e',
      says: 'Owner actions are also: approving an agent directly.',
      heldBy: [
        'only an owner changes the status to approved, without an approval of record: 403 for a manager and for a bound key, even an owner’s',
      ],
    },
    {
      id: 'binding.6f',
      says: 'Apart from owner actions, an owner’s bound key may do what a manager’s key may do.',
      heldBy: [
        'an owner’s bound key changes an agent of its environment as a manager does',
        '200: otherwise it changes users as a manager’s key would, also its own owner’s name',
      ],
    },
    {
      id: 'binding.6g',
      says: 'A bound key cannot resolve a review that is assigned to owners.',
      heldBy: ['assigned to owners: 403 for a manager and for an owner’s bound key'],
    },
    {
      id: 'scopes.1',
      says: 'A scope is <resource>:<action>, with * for all. A single * or no scope is unrestricted.',
      heldBy: ['%j: %s by %s is permitted: %s', 'text that is not a scope permits nothing'],
    },
    {
      id: 'scopes.2',
      says: 'Read-only: every GET is allowed, every write is 403, whatever the role.',
      heldBy: [
        '403 with the exact text for every write with a read-only key, whatever the role; every GET is allowed',
        '%s: a read-only key can read the same as an unrestricted key of the same person',
        '%s answers as documented, and a refusal writes nothing',
      ],
    },
    {
      id: 'scopes.3',
      says: 'Custom: only the listed resources and actions are allowed.',
      heldBy: [
        'custom scopes permit the listed resources to the listed extent and deny all others',
        'every resource that is not listed',
        '%s: a scope applies only to its resource, the first segment of the path, and only to its actions',
      ],
    },
    {
      id: 'scopes.4',
      says: 'Scopes only narrow the role. They are checked at authentication.',
      heldBy: ['scopes only narrow: a viewer’s key without scopes cannot write', 'the order is 401, then scope 403'],
    },
    {
      id: 'scopes.5',
      says: 'A 403 for a missing scope has a fixed text and code 403.',
      heldBy: [
        '403 with code 403 and the exact text through a read-only key',
        '%s answers as documented, and a refusal writes nothing',
      ],
    },
  ],
}
