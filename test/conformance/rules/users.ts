import type { Section } from '../rule.ts'

export const users: Section = {
  title: 'Users',
  rules: [
    {
      id: 'users.list.1',
      says: 'The list has the users of the tenant, including pending invitations and learners, in pages. Every user may list.',
      heldBy: [
        'returns the tenant’s users, including pending invitations and Academy learners, one page at a time',
        'every user of the tenant may list, also a scoped user and an environment-bound key; a learner may not',
      ],
    },
    {
      id: 'users.list.2',
      says: 'search matches a part of name or email in any letter case. It narrows the page and the total.',
      heldBy: [
        'search is a case-insensitive substring match on display name or email, for the page and the total',
        'search has no special meaning for %s',
      ],
    },
    {
      id: 'users.list.3',
      says: 'Sorting is by name, email or created_at; the default is created_at, newest first.',
      heldBy: [
        'sorts by name in any case, by email and by created_at, equal values by id',
        'pages over equal values neither repeat nor miss a user',
      ],
    },
    {
      id: 'users.list.4',
      says: 'An invalid sort value gives the default order, not 400.',
      heldBy: ['an unknown sort_by or sort_order gives the default order, not 400'],
    },
    {
      id: 'users.list.5',
      says: 'limit is 50 by default. Above 200 it counts as 200, below 1 as 1; neither is 400.',
      heldBy: ['a limit above 200 counts as 200 and below 1 as 1, and a negative offset as 0, without 400'],
    },
    {
      id: 'users.get.1',
      says: 'Every user of the tenant may read any other, and their own record.',
      heldBy: ['every user of the tenant may read any other user, and their own record'],
    },
    {
      id: 'users.get.2',
      says: 'A user of another tenant is 404, like an unknown id.',
      heldBy: ['the same 404 for a user of another tenant and an unknown id; 400 for an id that is not a UUID'],
    },
    {
      id: 'users.put.1',
      says: 'An omitted field keeps its value. An unknown role is 400.',
      heldBy: ['200 an omitted field keeps its stored value', '400 %j, and error names %s'],
    },
    {
      id: 'users.put.2a',
      says: 'A display name is cleaned: runs of white space become one space, control characters, bidirectional marks and U+FEFF are removed, and the name is trimmed.',
      heldBy: [
        '%j becomes %j: %s',
        'U+%s is dropped',
        'U+%s is white space',
        'is cleaned before it is stored; a name with nothing left is stored empty',
      ],
    },
    {
      id: 'users.put.2b',
      says: 'More than 200 characters after cleaning is 400 with a fixed text, before anything is read or written.',
      heldBy: [
        '400 with the exact text for more than 200, before anything is read or written: before every 403 and 404',
        '400 with the exact text if the cleaned name has more than 200 characters',
      ],
    },
    {
      id: 'users.put.2c',
      says: 'A name is never truncated.',
      heldBy: [
        'never cuts a name: it is kept whole or refused',
        '200 for 200 characters after cleaning, counted as code points, and never cut',
      ],
    },
    {
      id: 'users.put.2d',
      says: 'A name that is empty after cleaning is stored empty.',
      heldBy: ['is cleaned before it is stored; a name with nothing left is stored empty'],
    },
    {
      id: 'users.put.3a',
      says: 'Anyone may change their own display name.',
      heldBy: ['200 anyone may change their own display name', 'a %s of a(n) %s may change their own display name'],
    },
    {
      id: 'users.put.3b',
      says: 'An owner may change anyone’s name and role.',
      heldBy: ['200: an owner may change any user’s display name and role, also those of a pending invitation'],
    },
    {
      id: 'users.put.3c',
      says: 'A manager may change everyone except owners, and cannot make an owner.',
      heldBy: ['a manager may change any user except an owner and may not make anyone an owner'],
    },
    {
      id: 'users.put.3d',
      says: 'A member or viewer who sends role, or names another user, gets 403.',
      heldBy: ['403 for a member or viewer who sends role, or who changes another user'],
    },
    {
      id: 'users.put.4a',
      says: 'Taking the role from the last owner is 409 without a code. A pending owner does not count as an owner.',
      heldBy: ['409 without a code if the last owner gives up the role; a pending owner invitation does not count'],
    },
    {
      id: 'users.put.4b',
      says: 'Two owners who demote each other at once cannot both succeed.',
      heldBy: [
        'two concurrent owners never leave a tenant without an owner > %s',
        'two concurrent owners while a third remains > %s',
      ],
    },
    {
      id: 'users.put.5a',
      says: 'A new role applies from the next request, and the sessions are revoked.',
      heldBy: [
        'a new role applies from the next request and revokes the sessions, without a 401',
        'after a role change the current sign-in continues with the new role and cannot be renewed: the user signs in again',
      ],
    },
    {
      id: 'users.put.5b',
      says: 'A change of the display name alone keeps the user signed in.',
      heldBy: [
        'a change of the display name only keeps the user signed in and is audited as user.profile_updated',
        'after a change of the display name only, the sign-in can be renewed',
      ],
    },
    {
      id: 'users.put.5c',
      says: 'A role change writes the audit entry user.role_changed with the old and the new role.',
      heldBy: ['a role change is audited as user.role_changed with the old and new role'],
    },
    {
      id: 'users.put.6a',
      says: 'Any role but viewer for a learner is 409 academy_only_user with its text in error and message; nothing is written.',
      heldBy: ['409 academy_only_user with its text for role %s, and nothing is written'],
    },
    {
      id: 'users.put.6b',
      says: 'The 403 refusals are checked before it.',
      heldBy: ['the 403 refusals of rule 3 come first'],
    },
    {
      id: 'users.put.6c',
      says: 'A learner’s display name may change, and the role viewer is accepted.',
      heldBy: ['200: their display name may change and role viewer is accepted, which corrects another stored role'],
    },
    {
      id: 'users.put.7a',
      says: 'An environment-bound key, even an owner’s, cannot do owner actions or make an owner: 403 with fixed texts.',
      heldBy: ['403 with its texts: it makes no owner, changes no owner’s role and renames no other owner'],
    },
    {
      id: 'users.put.7b',
      says: 'Otherwise it may change the same users as a manager’s key.',
      heldBy: ['200: otherwise it changes users as a manager’s key would, also its own owner’s name'],
    },
    {
      id: 'users.delete.1a',
      says: 'Only an owner removes a user or withdraws an invitation.',
      heldBy: ['rule 1: only an owner removes a user or withdraws an invitation; others get 403, whatever the user'],
    },
    {
      id: 'users.delete.1b',
      says: 'An environment-bound key is 403, even an owner’s.',
      heldBy: ['rule 1: 403 for an environment-bound API key, even an owner’s; an owner’s tenant-wide key may'],
    },
    {
      id: 'users.delete.2a',
      says: 'Removing oneself is 400; use DELETE /users/me instead.',
      heldBy: [
        'rule 2: 400 for removing oneself, also through one’s own key',
        '204: a(n) %s leaves, and their account and keys stop working',
      ],
    },
    {
      id: 'users.delete.2b',
      says: 'Removing the last owner is 400. A pending owner does not count as an owner.',
      heldBy: [
        'rule 2: 400 for the last owner if the caller loses the role during the request; a pending owner does not count',
      ],
    },
    {
      id: 'users.delete.3',
      says: 'Two owners who remove each other at once cannot both succeed.',
      heldBy: ['two concurrent owners never leave a tenant without an owner > %s'],
    },
    {
      id: 'users.delete.4a',
      says: 'If the sign-in account cannot be deleted, nothing is removed and the response is 409. A retry is possible.',
      heldBy: ['rule 4: 409 if the sign-in account cannot be deleted; nothing is removed, and a retry is possible'],
    },
    {
      id: 'users.delete.4b',
      says: 'A lock conflict with a concurrent change is 409, and nothing is removed.',
      heldBy: ['rule 4: 409 and nothing is removed while a concurrent change of the %s holds a lock; a retry is 204'],
    },
    {
      id: 'users.delete.5',
      says: 'The audit entry is user.removed, or user.invitation.revoked for an invitation.',
      heldBy: [
        'rule 5: audited as user.removed, with the user’s name and the caller',
        'rule 5: audited as user.invitation.revoked; its token stops working and its seat is free',
      ],
    },
    {
      id: 'users.delete.6',
      says: 'The user’s keys stop working and are deleted. The user’s reports stay, without the user’s id.',
      heldBy: [
        '204, and the user’s data is deleted: keys deleted, agents and reports kept without the user',
        '401 at once for the removed user, and for every key they created',
      ],
    },
    {
      id: 'users.mfa.1',
      says: 'A reset clears the factors, marks MFA as not enrolled, revokes refresh tokens and emails the user.',
      heldBy: [
        'rule 1: 200; factors cleared, marked as not enrolled, refresh tokens revoked, the user emailed, audited',
        'after an MFA reset the refresh tokens of that user are revoked, and no others',
      ],
    },
    {
      id: 'users.mfa.2a',
      says: 'If the factors cannot be cleared, nothing changes and the response is 502. A retry is possible.',
      heldBy: ['rule 2: 502 if the factors cannot be cleared; nothing changes, and a retry is possible'],
    },
    {
      id: 'users.mfa.2b',
      says: 'A pending invitation has no factors to clear.',
      heldBy: ['rule 2: a pending invitation has no factors: it is 200, and nothing is written or mailed'],
    },
    {
      id: 'users.mfa.3a',
      says: 'An owner may reset everyone’s MFA, except their own (403).',
      heldBy: [
        'rule 3: 200: an owner may reset the MFA of all other users',
        'rule 3: 403 for resetting one’s own MFA through this route, in person or by key',
      ],
    },
    {
      id: 'users.mfa.3b',
      says: 'A manager may reset only a member’s or viewer’s MFA.',
      heldBy: ['rule 3: a manager may reset the MFA of members and viewers; 403 for managers and owners'],
    },
    {
      id: 'users.mfa.3c',
      says: 'An environment-bound key has the rights of a manager, even an owner’s key.',
      heldBy: ['rule 3: an environment-bound key has a manager’s rights, even an owner’s key'],
    },
    {
      id: 'users.mfa.3d',
      says: 'A member or viewer gets 403. A refusal writes nothing, not even an audit entry.',
      heldBy: ['rule 3: 403 for a member, viewer or learner, whatever the user; a refusal writes and audits nothing'],
    },
    {
      id: 'users.platform-access.1',
      says: 'Only an owner or manager may do it. A role other than viewer, member or manager is 400, including owner.',
      heldBy: ['403 for callers below manager, whatever the user and the body', '400 for the role %j'],
    },
    {
      id: 'users.platform-access.2a',
      says: 'The user must be an accepted learner. A pending learner, or a user with access, is 400; an unknown id is 404.',
      heldBy: [
        '400 for a pending invitation and for a user who already has platform access',
        '404 for an unknown user, before the body’s 400; 400 for an id that is not a UUID',
      ],
    },
    {
      id: 'users.platform-access.2b',
      says: 'An account with Academy access only is 403 academy_only_account.',
      heldBy: [
        '403 academy_only_account for a learner, also for themselves',
        'an account with Academy access only is 403 academy_only_account until it chooses a plan',
      ],
    },
    {
      id: 'users.platform-access.3a',
      says: 'A learner whose stored role is not viewer also gets the sent role.',
      heldBy: ['a learner with a stored role other than viewer gets the sent role'],
    },
    {
      id: 'users.platform-access.3b',
      says: 'If the stored role is owner, the change needs an owner (403 otherwise), and the last owner keeps the role (409 without a code).',
      heldBy: [
        'a learner with the stored role owner needs an owner: 403 for a manager and for an owner’s bound key, before the body’s 400',
        '409 without a code: the last owner keeps the role; a pending owner invitation does not count',
      ],
    },
    {
      id: 'users.platform-access.4a',
      says: 'Without a free seat it is 409 seat_limit_reached with its text in error and message, and nothing is written.',
      heldBy: ['409 seat_limit_reached with its text in error and message if all seats are in use; nothing is written'],
    },
    {
      id: 'users.platform-access.4b',
      says: 'Seats and invitations are counted under a lock on the tenant.',
      heldBy: [
        'of many learners who get access at the same time, exactly one gets the free seat',
        'of a concurrent invitation and platform-access grant for the last seat, one gets it',
      ],
    },
    {
      id: 'users.platform-access.5a',
      says: 'The person becomes scoped if the caller is scoped or uses a bound key. Otherwise the access scope stays.',
      heldBy: ['the access scope becomes scoped when the caller is scoped or uses a bound key; otherwise it is kept'],
    },
    {
      id: 'users.platform-access.5b',
      says: 'It applies from the person’s next request.',
      heldBy: ['platform-access > applies from the person’s next request'],
    },
    {
      id: 'users.platform-access.6',
      says: 'The sessions are revoked only if the new role is lower than the old role.',
      heldBy: ['a learner with the stored role %s who gets %s: the sessions are revoked: %s'],
    },
    {
      id: 'users.platform-access.7a',
      says: 'The audit entry is user.platform_access_granted, with the old role, the new role and the access scope. The welcome email is sent.',
      heldBy: ['200 gives an accepted learner the role %s: they are no longer a learner, and both roles are audited'],
    },
    {
      id: 'users.platform-access.7b',
      says: 'A welcome email that fails does not fail the request.',
      heldBy: ['200 for platform access even if the welcome mail cannot be sent'],
    },
    {
      id: 'users.access-scope.1a',
      says: 'Only an owner or manager may do it. A manager or an environment-bound key cannot change an owner’s access scope.',
      heldBy: [
        '403 for callers below manager, also for themselves, whatever the body',
        '403 for a manager or an environment-bound key, even an owner’s, if the user is an owner or a pending owner',
      ],
    },
    {
      id: 'users.access-scope.1b',
      says: 'An owner is never scoped, even if the stored access scope is scoped.',
      heldBy: ['an owner always has access to all: 200, the field stays all and nothing is written'],
    },
    {
      id: 'users.access-scope.2',
      says: 'A scoped caller cannot set all for any user, including themselves.',
      heldBy: ['403 for a scoped caller who sets all, also for themselves; they may set scoped'],
    },
    {
      id: 'users.access-scope.3a',
      says: 'Setting all removes the agent grants and keeps the environment access.',
      heldBy: [
        'setting all removes the user’s agent grants and keeps their environment access; other users do not change',
      ],
    },
    {
      id: 'users.access-scope.3b',
      says: 'It applies from the user’s next request.',
      heldBy: ['applies from the user’s next request, and to their keys at once'],
    },
    {
      id: 'users.grants.1a',
      says: 'An owner, a manager and the user themselves may list. Everyone else gets 403.',
      heldBy: [
        '200 for an owner, a manager and the user themselves; 403 for others, also if the user is unknown',
        '200 for an owner, a manager and the user themselves, with the environment’s name and slug; 403 for others',
      ],
    },
    {
      id: 'users.grants.1b',
      says: 'A scoped caller sees only entries for what they can see.',
      heldBy: [
        'a scoped caller sees only grants on agents they can see; a bound key only those of its environment',
        'a scoped caller sees only entries for environments they have access to',
      ],
    },
    {
      id: 'users.grants.2a',
      says: 'An owner or manager may create and revoke. Everyone else gets 403.',
      heldBy: [
        'POST /users/{user_id}/grants > 403 for callers below manager',
        'DELETE /users/{user_id}/grants/{grant_id} > 403 for callers below manager',
        'POST /users/{user_id}/environment-access > 403 for callers below manager',
        '403 for callers below manager, and for a bound key if the user is an owner',
      ],
    },
    {
      id: 'users.grants.2b',
      says: 'The user, and the agent or environment, must belong to the tenant: 404 otherwise.',
      heldBy: [
        '404 for a user or an agent of another tenant; the 404 for an unknown user comes before the body’s 400',
        '404 for a user or an environment of another tenant; the 404 for an unknown user comes before the body’s 400',
      ],
    },
    {
      id: 'users.grants.2c',
      says: 'A scoped caller grants only what they see. Anything else is 404.',
      heldBy: [
        'a scoped caller grants only agents they can see, a bound key only its environment’s; any other agent is 404',
        'a scoped caller gives access only to environments they have access to, a bound key only to its own; any other is 404',
      ],
    },
    {
      id: 'users.grants.3',
      says: 'A repeated request is 200 with the existing entry. It writes nothing, not even an audit entry.',
      heldBy: [
        '200 with the existing grant if it is repeated; nothing is written or audited',
        '201 for a new entry, audited with the environment; a repeated request is 200 with the entry and writes nothing',
        'many concurrent requests make one grant: 201 once, 200 for the others',
      ],
    },
    {
      id: 'users.grants.4',
      says: 'Revoking an entry of another user, or one that a scoped caller cannot see, is 404.',
      heldBy: [
        '404 for a grant of another user or another tenant, and for an unknown id',
        '404 for a scoped caller or a bound key if they cannot see the agent',
        '404 for an entry of another user, and for a scoped caller or a bound key if they cannot see the environment',
      ],
    },
    {
      id: 'users.grants.5',
      says: 'Environment access does not show the user any agent.',
      heldBy: ['environment access shows the user no agent; agents need grants'],
    },
    {
      id: 'users.grants.6',
      says: 'A grant is revoked by its id. Environment access is revoked by the entry’s id, not by the environment’s id.',
      heldBy: [
        '204 revokes the grant, audited; a second call is 404',
        '204 by the entry’s id, not the environment’s, audited; a second call is 404',
      ],
    },
    {
      id: 'users.pending.1',
      says: 'An invitation takes a seat at once. Withdrawing it frees the seat.',
      heldBy: ['rule 5: audited as user.invitation.revoked; its token stops working and its seat is free'],
    },
  ],
}
