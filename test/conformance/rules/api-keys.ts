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
        '200 with the key and its revoked_at; the key is 401 at once and stays in the list',
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
        '400 if it is already revoked; revoked_at does not change and only one entry is written',
        'a binding during a revocation is either first or 400: a revoked key never changes',
      ],
    },
    {
      id: 'keys.create.1',
      says: '201 with raw_key, which is shown once. name is required; other fields are optional.',
      heldBy: [
        '201 with raw_key once: mk_ and 64 lower-case hexadecimal characters; prefix has its first 8, and only the hash is stored',
        'POST /api-keys > 400 for %s, naming the field; nothing is written',
      ],
    },
    {
      id: 'keys.list.1a',
      says: 'total is the number of keys in the list, including revoked keys.',
      heldBy: [
        'newest first; limit and offset select the page, and a page after the last one has the total too',
        'revoked and expired keys are included; a revoked key has revoked_at; a field without a value is left out',
      ],
    },
    {
      id: 'keys.list.1b',
      says: 'limit is 50 by default and at most 200.',
      heldBy: ['limit defaults to 50 and is at most 200; values out of range are clamped, and text is 400'],
    },
    {
      id: 'keys.sees.1',
      says: 'An owner or manager sees and manages every key of the organization.',
      heldBy: [
        'owner or manager: all keys of the organization, and no key of another one',
        'owners and managers revoke any key',
        '200 for a manager, for any key of the organization',
      ],
    },
    {
      id: 'keys.sees.2',
      says: 'A member sees and manages only keys they created; another’s is 404.',
      heldBy: [
        'member: only the keys they created',
        'a member revokes only the keys they created; another user’s key, an unknown key and a key of another tenant are 404',
        'a member changes only keys they created; another user’s key, an unknown key and a key of another tenant are 404',
      ],
    },
    {
      id: 'keys.sees.3',
      says: 'A viewer may list keys, but not create, change or revoke them (403).',
      heldBy: [
        'viewer: only the viewer’s own keys',
        'POST /api-keys > 403 for a viewer, before the 400 of a malformed body',
        'PATCH /api-keys/{key_id}/environment > 403 for a viewer',
        '403 for a viewer, also for their own key',
      ],
    },
    {
      id: 'keys.reach.1',
      says: 'Changing the binding of a key needs the role and access scope of its creator. A key that makes the change needs at least the rights of the changed key.',
      heldBy: [
        'a manager cannot make an owner’s bound key tenant-wide, and the holder of the key cannot become an owner',
        'a key with scopes for API keys creates no key with more scopes',
      ],
    },
    {
      id: 'keys.sees.4',
      says: 'An environment-bound key sees the keys of its environment, within what its creator sees.',
      heldBy: [
        'environment-bound key: only keys of its environment that its creator sees',
        'an environment-bound key revokes keys of its environment that its creator sees; any other key is 404',
      ],
    },
    {
      id: 'keys.wide.2a',
      says: 'Creating a tenant-wide key, or widening a key to the tenant, needs an owner or access all: 403 otherwise.',
      heldBy: [
        '201 for a member with access scope all, and for an owner whatever scope is stored',
        '403 for a scoped manager, before the 400 of a malformed body',
        '200 there, 404 for another environment, 403 for tenant-wide',
      ],
    },
    {
      id: 'keys.wide.2b',
      says: 'A scoped user binds keys only to environments that they have access to; another is 404.',
      heldBy: [
        '200 there, 404 for another environment, 403 for tenant-wide',
        '201 in an environment that a scoped user has access to, 404 in any other environment of the tenant',
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
      heldBy: [
        '403 for its own key, for other keys of its environment and of other environments, and for an unknown key',
      ],
    },
    {
      id: 'keys.patch.4',
      says: 'Binding returns the updated key. The key string and its prefix stay the same.',
      heldBy: [
        '200 with the updated key; its string and prefix do not change, and it works in its new environment at once',
      ],
    },
    {
      id: 'keys.delete.5',
      says: 'Revoking returns the key with revoked_at.',
      heldBy: ['200 with the key and its revoked_at; the key is 401 at once and stays in the list'],
    },
    {
      id: 'keys.audit.6',
      says: 'The audit trail contains neither the key nor its hash.',
      heldBy: [
        'api_key.created records key id, prefix, name, environment and person; never the key string or its hash',
      ],
    },
  ],
}
