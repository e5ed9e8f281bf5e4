import type { Section } from '../rule.ts'

export const events: Section = {
  title: 'Events and the audit trail',
  rules: [
    {
      id: 'events.api_key.created',
      says: 'Records the key’s id, prefix, name and environment; a tenant-wide key has no environment.',
      heldBy: [
        'api_key.created records key id, prefix, name and environment',
        'and no environment for a tenant-wide key',
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
      heldBy: ['rule 5: audited as user.removed', 'rule 5: audited as user.invitation.revoked'],
    },
    {
      id: 'events.user.platform_access_granted',
      says: 'Records the old role, the new role and the access scope.',
      heldBy: ['200 gives an accepted learner the role %s: no longer a learner, and audited'],
    },
    {
      id: 'events.agent.lifecycle.changed',
      says: 'Records the actor, the previous status and the reason.',
      heldBy: ['200: the state moves, audited with actor, previous state and reason'],
    },
    {
      id: 'events.policy.restored',
      says: 'Records the restored version and the new version.',
      heldBy: ['audited as policy.restored with the version restored from and the version produced'],
    },
    {
      id: 'events.1a',
      says: 'A key’s entry names the person and the API key used.',
      heldBy: [
        'the entry of a key made through a key names the person and the key used',
        'an entry names the API key that was used, and its person',
      ],
    },
    {
      id: 'events.1b',
      says: 'A refused request writes nothing.',
      heldBy: [
        '%s answers as documented, and a refusal writes nothing',
        'a refused request about a key writes nothing, and neither does its expiry',
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
      heldBy: [
        'policy creates, updates and rule changes carry their version on audit rows whose resource is the policy',
      ],
    },
    {
      id: 'events.4a',
      says: 'Entries about people and keys are for owners and managers only.',
      heldBy: [
        'owners and managers who see the whole tenant see every entry',
        'members and viewers see entries about agents and policies, and none about people, keys or the organization',
        'a role taken away hides the entries about people from the next request on',
      ],
    },
    {
      id: 'events.4b',
      says: 'They are hidden from a scoped user and from an environment-bound key.',
      heldBy: [
        'a scoped %s sees the agents granted and the policies in reach, and none about people or the organization',
        "a key bound to an environment, an owner's too, sees its environment's agents and policies alone",
        'finds the events of a key, for owners and managers who see the whole tenant',
      ],
    },
    {
      id: 'events.5',
      says: 'An agent whose running version differs from the approved version has the finding policy_drift_unapproved.',
      heldBy: [
        'reports another version than the approved raises policy_drift_unapproved and opens a change review',
        'at most one finding is open, however often and from how many edges at once it is reported',
      ],
    },
    {
      id: 'events.query.1',
      says: 'GET /audit takes source and event_type; source=control_plane selects governance changes.',
      heldBy: [
        'GET /audit with source=control_plane and the event type finds the events of a key',
        'each filter narrows alone and together with the others',
      ],
    },
  ],
}
