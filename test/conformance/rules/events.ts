import type { Section } from '../rule.ts'

export const events: Section = {
  title: 'Events and the audit trail',
  rules: [
    {
      id: 'events.api_key.created',
      says: 'Records the key’s id, prefix, name and environment; a tenant-wide key has no environment.',
      heldBy: [
        'api_key.created records key id, prefix, name, environment and person; never the key string or its hash',
        'the entry of a key created through a key has the person and the key used, and no environment for a tenant-wide key',
      ],
    },
    {
      id: 'events.api_key.revoked',
      says: 'Records the key’s id, prefix, name and environment.',
      heldBy: ['api_key.revoked records key id, prefix, name and environment'],
    },
    {
      id: 'events.api_key.environment_changed',
      says: 'Records the key’s id, prefix and name, and the old and new environment.',
      heldBy: ['api_key.environment_changed records key id, prefix, name, old and new environment'],
    },
    {
      id: 'events.user.role_changed',
      says: 'Records the old and the new role.',
      heldBy: ['a role change is audited as user.role_changed with the old and new role'],
    },
    {
      id: 'events.user.removed',
      says: 'user.removed is written if a user is removed, and user.invitation.revoked if an invitation is withdrawn.',
      heldBy: [
        'rule 5: audited as user.removed, with the user’s name and the caller',
        'rule 5: audited as user.invitation.revoked; its token stops working and its seat is free',
      ],
    },
    {
      id: 'events.user.platform_access_granted',
      says: 'Records the old role, the new role and the access scope.',
      heldBy: ['200 gives an accepted learner the role %s: they are no longer a learner, and both roles are audited'],
    },
    {
      id: 'events.agent.lifecycle.changed',
      says: 'Records the actor, the previous status and the reason.',
      heldBy: ['200: the status changes, audited with actor, previous status and reason'],
    },
    {
      id: 'events.policy.restored',
      says: 'Records the restored version and the new version.',
      heldBy: ['audited as policy.restored with the restored version and the new version'],
    },
    {
      id: 'events.1a',
      says: 'A key’s entry names the person and the API key used.',
      heldBy: [
        'the entry of a key created through a key has the person and the key used, and no environment for a tenant-wide key',
        'an entry has the API key that was used and its person',
      ],
    },
    {
      id: 'events.1b',
      says: 'A refused request writes nothing.',
      heldBy: [
        '%s answers as documented, and a refusal writes nothing',
        'a refused request about a key writes no entry, and neither does the expiry of a key',
      ],
    },
    {
      id: 'events.2',
      says: 'Using a key and reaching its expiry write no entry.',
      heldBy: ['using a key writes no entry', 'a key is 401 after its expires_at, and no audit entry is written'],
    },
    {
      id: 'events.3',
      says: 'Policy creates, updates and rule changes carry their version.',
      heldBy: ['audit entries of policy and rule changes have the version, and the policy as resource'],
    },
    {
      id: 'events.4a',
      says: 'Entries about people and keys are for owners and managers only.',
      heldBy: [
        'owners and managers who see the whole tenant see all entries, also through their tenant-wide keys',
        'members and viewers see entries about agents and policies, and no entry about people, keys or the organization',
        'a user who loses their role no longer sees the entries about people, from the next request on',
      ],
    },
    {
      id: 'events.4b',
      says: 'They are hidden from a scoped user and from an environment-bound key.',
      heldBy: [
        'a scoped %s sees entries about granted agents and visible policies, and none about people or the organization',
        'a key bound to an environment, even an owner’s, sees only entries about its environment’s agents and policies',
        'finds the events of a key, for owners and managers who see the whole tenant',
      ],
    },
    {
      id: 'events.5',
      says: 'An agent whose running version differs from the approved version has the finding policy_drift_unapproved.',
      heldBy: [
        'a heartbeat that reports another version than the approved one opens policy_drift_unapproved and a change review',
        'at most one finding is open, however often and by however many edges the drift is reported',
      ],
    },
    {
      id: 'events.query.1',
      says: 'GET /audit takes source and event_type; source=control_plane selects governance changes.',
      heldBy: [
        'GET /audit with source=control_plane and the event type finds the events of a key',
        'each filter works alone and together with the others',
      ],
    },
  ],
}
