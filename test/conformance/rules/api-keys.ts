import type { Section } from '../rule.ts'

export const apiKeys: Section = {
  title: 'API keys',
  rules: [
    {
      id: 'keys.state.1',
      says: 'A key is active until it is revoked or expires.',
      heldBy: ['a key is 401 after its expires_at, and no audit entry is written'],
    },
    {
      id: 'keys.state.2',
      says: 'Revocation is immediate and permanent; in-flight requests fail.',
      heldBy: [
        '200 the key with revoked_at; the key is 401 at once and stays in the list',
        '401 when the key is revoked before the body has arrived; nothing is written',
        '401 when the key is revoked while the change waits for a lock',
        'rejects every write that is sent after the response to the revocation',
      ],
    },
    {
      id: 'keys.state.3',
      says: 'A revoked key cannot be changed or reactivated.',
      heldBy: [
        'PATCH /api-keys/{key_id}/environment > 400 for a revoked key',
        '400 when it is revoked already; the first time stands and one entry is written',
        'a binding beside a revocation either comes first or is 400: no revoked key changes',
      ],
    },
    {
      id: 'keys.create.1',
      says: '201 with raw_key, which is shown once. name is required; other fields are optional.',
      heldBy: [
        '201 with raw_key once: mk_ and 64 lower-case hexadecimal characters',
        'POST /api-keys > 400 for %s, naming the field; nothing is written',
      ],
    },
    {
      id: 'keys.list.1a',
      says: 'total is the number of keys in the list, including revoked keys.',
      heldBy: [
        'newest first; limit and offset page through, and total stays past the last page',
        'revoked and expired keys are included; a field without a value is left out, revoked_at is set',
      ],
    },
    {
      id: 'keys.list.1b',
      says: 'limit is 50 by default and at most 200.',
      heldBy: ['limit is 50 when left out and at most 200; out-of-range values are clamped'],
    },
    {
      id: 'keys.sees.1',
      says: 'An owner or manager sees and manages every key of the organization.',
      heldBy: [
        'owner or manager: every key of the organization, and none of another',
        'owners and managers revoke any key',
        '200 for a manager on any key of the organization',
      ],
    },
    {
      id: 'keys.sees.2',
      says: 'A member sees and manages only keys they created; another’s is 404.',
      heldBy: [
        'member: only keys they created',
        "a member only those they created: another person's key is 404",
        "a member changes only keys they created; another person's key, an unknown one and another tenant's are 404",
      ],
    },
    {
      id: 'keys.sees.3',
      says: 'A viewer may list keys, but not create, change or revoke them (403).',
      heldBy: [
        "viewer: lists keys, which are the viewer's own",
        'POST /api-keys > 403 for a viewer, before a malformed body is told',
        'PATCH /api-keys/{key_id}/environment > 403 for a viewer',
        'viewers get 403, for their own key too',
      ],
    },
    {
      id: 'keys.reach.1',
      says: 'Changing the binding of a key needs the role and access scope of its creator. A key that makes the change needs at least the rights of the changed key.',
      heldBy: [
        "a manager cannot make an owner's bound key tenant-wide, and its holder cannot make them owner",
        'a key for API keys makes no key beyond itself',
      ],
    },
    {
      id: 'keys.sees.4',
      says: 'An environment-bound key sees the keys of its environment, within what its creator sees.',
      heldBy: [
        'environment-bound key: only keys bound to the same environment, within what its creator sees',
        'an environment-bound key revokes keys of its environment within what its creator sees; any other is 404',
      ],
    },
    {
      id: 'keys.wide.2a',
      says: 'Creating a tenant-wide key, or widening a key to the tenant, needs an owner or access all: 403 otherwise.',
      heldBy: [
        '201 for a member with access all, and for an owner whatever scope is stored',
        '403 for a scoped manager, before a malformed body is told',
        '200 there, 404 for another environment, 403 for tenant-wide',
      ],
    },
    {
      id: 'keys.wide.2b',
      says: 'A scoped user binds keys only to environments that they have access to; another is 404.',
      heldBy: [
        '200 there, 404 for another environment, 403 for tenant-wide',
        '201 in an environment a scoped user works in, 404 in another of the tenant',
      ],
    },
    {
      id: 'keys.bound.3a',
      says: 'An environment-bound key creates only keys of its own environment. Another environment or a tenant-wide key is 403.',
      heldBy: [
        'an environment-bound key creates only keys bound to its own environment; another environment or tenant-wide is 403',
      ],
    },
    {
      id: 'keys.bound.3b',
      says: 'It cannot change the environment of any key, including its own (403).',
      heldBy: ['403 for its own key, another of its environment, one elsewhere and an unknown one'],
    },
    {
      id: 'keys.patch.4',
      says: 'Binding returns the updated key. The key string and its prefix stay the same.',
      heldBy: ['200 with the updated key; key string and prefix unchanged'],
    },
    {
      id: 'keys.delete.5',
      says: 'Revoking returns the key with revoked_at.',
      heldBy: ['200 the key with revoked_at; the key is 401 at once and stays in the list'],
    },
    {
      id: 'keys.audit.6',
      says: 'The audit trail contains neither the key nor its hash.',
      heldBy: ['never the key string nor its hash'],
    },
  ],
}
