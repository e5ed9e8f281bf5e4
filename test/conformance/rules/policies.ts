import type { Section } from '../rule.ts'

export const policies: Section = {
  title: 'Policies and versions',
  rules: [
    {
      id: 'rules.paths.1',
      says: 'under and not_under compare paths: dots and separators are resolved, and what cannot be resolved is an error.',
      heldBy: [
        'with under no spelling passes, as a path and as a URL of the rule',
        'every spelling of a path under the base is under it, as a path and as a URL',
        'a list is under where all its paths are, and not under where none is',
      ],
    },
    {
      id: 'rules.paths.2',
      says: 'A save warns where a rule compares a path as text.',
      heldBy: ['a save warns of a rule that compares a path as text, and not of one that uses under'],
    },
    {
      id: 'rules.undeclared.1',
      says: 'An argument that the tool does not declare is an error for every rule with conditions on args.',
      heldBy: [
        'is denied by a deny on arguments that does not match it',
        'does not pass to a server that the gateway starts, from a client that never listed its tools',
      ],
    },
    {
      id: 'versions.record.1',
      says: 'Every save is a version: a snapshot, who, when, what produced it, and a change summary.',
      heldBy: [
        'every save is a version: who saved it, when, what produced it, and a change summary, newest first',
        'a snapshot holds the fields and the rules by priority as the interface serves them',
      ],
    },
    {
      id: 'versions.record.2',
      says: 'Produced by: created, updated, rule_created, rule_updated, rule_deleted, restored.',
      heldBy: [
        'every save is a version: who saved it, when, what produced it',
        'restoring version 2 on a policy at version 5 produces version 6',
      ],
    },
    {
      id: 'versions.record.3',
      says: 'The change summary names the fields that differ and counts rules added, removed and changed.',
      heldBy: [
        'fields whose value differs are named, with both values',
        'rules are told by id: added, removed and changed ones are counted and shown',
      ],
    },
    {
      id: 'versions.record.4',
      says: 'A version tells whether its save tightened or loosened what the policy decides.',
      heldBy: ['a version says what its save did to the calls decided, alike in the list and alone'],
    },
    {
      id: 'versions.rule.1',
      says: 'Numbers start at 1, grow by one per save, and are never reused.',
      heldBy: [
        '50 saves at once make versions 1 to 51 with no gap, each summed up against the one before it',
        'concurrent saves, heartbeats, resolutions and archivals break no invariant and lose no acknowledged save',
      ],
    },
    {
      id: 'versions.rule.2',
      says: 'The newest version is the current one, carried to the edge as policy_version.',
      heldBy: ['the newest version is carried to the edge in the mission profile as policy_version'],
    },
    {
      id: 'versions.rule.3',
      says: 'A save that changed nothing still records a version, with an empty summary.',
      heldBy: ['a save that changed nothing still records a version with an empty change summary'],
    },
    {
      id: 'versions.rule.4',
      says: 'Versions are never edited or deleted while the policy exists.',
      heldBy: [
        'a version is never edited or deleted: whatever is saved after it, it reads the same',
        '204 once none does, its history and rules gone',
      ],
    },
    {
      id: 'versions.rule.5',
      says: 'A policy older than versioning starts at version 1, recorded from its state.',
      heldBy: [
        'starts its history at version 1, recorded from its state, once, even by two instances at the same time',
      ],
    },
    {
      id: 'versions.rule.6',
      says: 'DLP pattern bindings and the agents bound to the policy are no part of a version.',
      heldBy: [
        'the set of agents bound to a policy is no part of a version: binding one makes none',
        'a snapshot holds the policy fields and the rules by priority, and nothing else',
      ],
    },
    {
      id: 'versions.rule.7',
      says: 'The first version has nothing to compare with.',
      heldBy: [
        'the first version has no diff; a later one differs by field and by rule',
        'version 1 has nothing to compare with',
      ],
    },
    {
      id: 'versions.list.1',
      says: 'The list is newest first, each with its summary.',
      heldBy: ['what produced it, and a change summary, newest first'],
    },
    {
      id: 'versions.get.1',
      says: 'One version shows its snapshot and the diff against the one before.',
      heldBy: ['the first version has no diff; a later one differs by field and by rule'],
    },
    {
      id: 'versions.restore.1',
      says: 'Managers and owners only.',
      heldBy: [
        '403 for a member; managers and owners restore',
        '%s answers as documented, and a refusal writes nothing',
      ],
    },
    {
      id: 'versions.restore.2',
      says: 'The policy becomes the snapshot, as a new version that names the one it came from; earlier ones stay.',
      heldBy: [
        'restoring version 2 on a policy at version 5 produces version 6, equal to version 2, naming it; earlier ones stay',
      ],
    },
    {
      id: 'versions.restore.3a',
      says: 'It passes a save’s validation first: refused naming the field, and the policy is left unchanged.',
      heldBy: ['400 naming the field for a version whose pattern no longer passes, and the policy is left unchanged'],
    },
    {
      id: 'versions.restore.3b',
      says: 'The plan gate applies as for a save.',
      heldBy: ['402 when the restored document turns DLP on and the plan no longer includes it'],
    },
    {
      id: 'versions.restore.4',
      says: 'Rules keep their identity: the next diff shows them as changed.',
      heldBy: [
        'rules keep their identity: a changed rule shows as changed, a deleted one comes back under its old id',
        'after a restore a rule that kept its id is changed, not removed and added',
      ],
    },
    {
      id: 'versions.restore.5',
      says: 'Bound agents receive the restored configuration on their next heartbeat.',
      heldBy: ['agents bound to the policy receive the restored configuration on their next heartbeat'],
    },
    {
      id: 'versions.restore.6',
      says: 'Audited as policy.restored with the version restored from and the version produced.',
      heldBy: ['audited as policy.restored with the version restored from and the version produced'],
    },
  ],
}
