import type { Section } from '../rule.ts'

export const policies: Section = {
  title: 'Policies and versions',
  rules: [
    {
      id: 'rules.paths.1',
      says: 'under and not_under compare paths after resolving dots and separators. A path that cannot be resolved is an error.',
      heldBy: [
        'with `under` denies every spelling, for a path and a URL in the rule',
        'every spelling of a path under the base is under it, as a path and as a URL',
        'a list is under the base if all its paths are, and not under it if no path is',
      ],
    },
    {
      id: 'rules.paths.2',
      says: 'A save warns if a rule compares a path as text.',
      heldBy: ['a save warns of a rule that compares a path as text, and not of one that uses under'],
    },
    {
      id: 'rules.undeclared.1',
      says: 'An argument that the tool does not declare makes every condition on args an error.',
      heldBy: [
        'is denied by a deny rule with conditions on arguments, even if they do not match',
        'is denied for a started server although the client never listed its tools',
      ],
    },
    {
      id: 'versions.record.1',
      says: 'Every save makes a version with a snapshot, the user, the time, the operation and a change summary.',
      heldBy: [
        'every save is a version with its author, time, cause and change summary, newest first',
        'a snapshot has the fields and the rules by priority as the interface returns them, hashed in canonical form',
      ],
    },
    {
      id: 'versions.record.2',
      says: 'produced_by is created, updated, rule_created, rule_updated, rule_deleted or restored.',
      heldBy: [
        'every save is a version with its author, time, cause and change summary, newest first',
        'restoring version 2 of a policy at version 5 makes version 6, equal to version 2, with its number; earlier versions stay',
      ],
    },
    {
      id: 'versions.record.3',
      says: 'The change summary names the changed fields, and counts added, removed and changed rules.',
      heldBy: [
        'names changed fields with both values',
        'matches rules by id, and counts and shows added, removed and changed rules',
      ],
    },
    {
      id: 'versions.record.4',
      says: 'A version says whether its save tightened or loosened the policy.',
      heldBy: ['a version has the change class of its save, in the list and alone; the first is neutral'],
    },
    {
      id: 'versions.rule.1',
      says: 'Numbers start at 1, grow by one per save, and are never reused.',
      heldBy: [
        '50 concurrent saves make versions 1 to 51 without a gap, each compared with the version before it',
        'concurrent saves, heartbeats, resolutions and archivals break no invariant and lose no acknowledged save',
      ],
    },
    {
      id: 'versions.rule.2',
      says: 'The newest version is the current version. The edge gets its number as policy_version.',
      heldBy: ['the newest version is carried to the edge in the mission profile as policy_version'],
    },
    {
      id: 'versions.rule.3',
      says: 'A save without changes still records a version, with an empty summary.',
      heldBy: ['a save without changes records a version with an empty change summary'],
    },
    {
      id: 'versions.rule.4',
      says: 'Versions are never edited or deleted while the policy exists.',
      heldBy: [
        'a version is never edited or deleted: later saves do not change it, and no method does',
        '409 while an agent uses it; then 204, and its versions and rules are deleted and archived agents lose it',
      ],
    },
    {
      id: 'versions.rule.5',
      says: 'A policy that is older than versioning starts at version 1, with its state at that time.',
      heldBy: ['gets version 1 from its current state, once, even if two instances record it at the same time'],
    },
    {
      id: 'versions.rule.6',
      says: 'DLP pattern bindings and the policy’s agents are not part of a version.',
      heldBy: [
        'are version 0 without a save; a save makes the next version, with an entity tag and an audit entry',
        'the agents of a policy are not part of a version: assigning it to an agent creates no version',
        'a snapshot contains only the policy fields and the rules by priority',
      ],
    },
    {
      id: 'versions.rule.7',
      says: 'The first version has no diff.',
      heldBy: [
        'the first version has no diff; a later one has the differences of fields and rules from the version before',
        'is null for version 1, with an empty summary',
      ],
    },
    {
      id: 'versions.list.1',
      says: 'The list starts with the newest version. Each version has its summary.',
      heldBy: ['every save is a version with its author, time, cause and change summary, newest first'],
    },
    {
      id: 'versions.get.1',
      says: 'A single version has its snapshot and the diff to the version before it.',
      heldBy: [
        'the first version has no diff; a later one has the differences of fields and rules from the version before',
      ],
    },
    {
      id: 'versions.restore.1',
      says: 'Only managers and owners may do it.',
      heldBy: [
        '403 for a member; managers and owners may restore',
        '%s answers as documented, and a refusal writes nothing',
      ],
    },
    {
      id: 'versions.restore.2',
      says: 'The snapshot becomes a new version that names the restored version. Earlier versions stay.',
      heldBy: [
        'restoring version 2 of a policy at version 5 makes version 6, equal to version 2, with its number; earlier versions stay',
      ],
    },
    {
      id: 'versions.restore.3a',
      says: 'A restore is validated like a save. An invalid snapshot is refused with the field’s name, and the policy stays unchanged.',
      heldBy: ['400 with the field for a version whose pattern is no longer valid; the policy does not change'],
    },
    {
      id: 'versions.restore.3b',
      says: 'A restore needs the same plan as a save.',
      heldBy: ['402 if the restored document turns DLP on and the plan no longer includes it'],
    },
    {
      id: 'versions.restore.4',
      says: 'Restored rules keep their ids, so the next diff shows them as changed.',
      heldBy: [
        'rules keep their ids: a changed rule is shown as changed, and a deleted rule has its old id again',
        'shows a restored rule with the same id as changed, not as removed and added',
      ],
    },
    {
      id: 'versions.restore.5',
      says: 'Agents under the policy get the restored configuration at their next heartbeat.',
      heldBy: ['agents bound to the policy receive the restored configuration on their next heartbeat'],
    },
    {
      id: 'versions.restore.6',
      says: 'The audit entry is policy.restored, with the restored version and the new version.',
      heldBy: ['audited as policy.restored with the restored version and the new version'],
    },
  ],
}
