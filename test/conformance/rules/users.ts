import type { Section } from '../rule.ts'

export const users: Section = {
  title: 'Users',
  rules: [
    {
      id: 'users.list.1',
      says: 'The list has the users of the tenant, including pending invitations and learners, in pages. Every user may list.',
      heldBy: [
        'returns users of the tenant, pending invitations and Academy learners included, one page at a time',
        'every user of the tenant may list, a scoped one and an environment-bound key too',
      ],
    },
    {
      id: 'users.list.2',
      says: 'search matches a part of name or email in any letter case. It narrows the page and the total.',
      heldBy: ['search is a case-insensitive substring match on display name or email', 'search takes %s as it is'],
    },
    {
      id: 'users.list.3',
      says: 'Sorting is by name, email or created_at; the default is created_at, newest first.',
      heldBy: [
        'sorts by name whatever the case, by email and by created_at',
        'pages in a tie neither repeat nor lose anyone',
      ],
    },
    {
      id: 'users.list.4',
      says: 'An invalid sort value gives the default order, not 400.',
      heldBy: ['any sort_by or sort_order value outside the enums gives the default order, not 400'],
    },
    {
      id: 'users.list.5',
      says: 'limit is 50 by default. Above 200 it counts as 200, below 1 as 1; neither is 400.',
      heldBy: ['a limit above 200 is read as 200 and below 1 as 1, a negative offset as 0, none of them 400'],
    },
    {
      id: 'users.get.1',
      says: 'Every user of the tenant may read any other, and their own record.',
      heldBy: ['every user of the tenant may read any other user, and their own record'],
    },
    {
      id: 'users.get.2',
      says: 'A user of another tenant is 404, like an unknown id.',
      heldBy: ['404 for a user of another tenant and for an unknown id, the same'],
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
        'is cleaned before storing; a name with nothing left is stored empty',
      ],
    },
    {
      id: 'users.put.2b',
      says: 'More than 200 characters after cleaning is 400 with a fixed text, before anything is read or written.',
      heldBy: [
        '400 with its exact text when more remain, before anything is read or written',
        '400 with its exact text when more than 200 characters remain once cleaned',
      ],
    },
    {
      id: 'users.put.2c',
      says: 'A name is never truncated.',
      heldBy: [
        'never cuts: a name is either cleaned whole or refused',
        '200 at 200 characters once cleaned, code points counted, and never cut',
      ],
    },
    {
      id: 'users.put.2d',
      says: 'A name that is empty after cleaning is stored empty.',
      heldBy: ['is cleaned before storing; a name with nothing left is stored empty'],
    },
    {
      id: 'users.put.3a',
      says: 'Anyone may change their own display name.',
      heldBy: ['200 anyone may change their own display name', 'a %s of a(n) %s may change the own display name'],
    },
    {
      id: 'users.put.3b',
      says: 'An owner may change anyone’s name and role.',
      heldBy: ["200 an owner may change anyone's display name and role"],
    },
    {
      id: 'users.put.3c',
      says: 'A manager may change everyone except owners, and cannot make an owner.',
      heldBy: ['a manager may change any user but an owner and may not make anyone an owner'],
    },
    {
      id: 'users.put.3d',
      says: 'A member or viewer who sends role, or names another user, gets 403.',
      heldBy: ['403 a member or viewer who sends role, or who names another user'],
    },
    {
      id: 'users.put.4a',
      says: 'Taking the role from the last owner is 409 without a code. A pending owner does not count as an owner.',
      heldBy: ['409 with no code when the last owner gives up the role, and a pending owner invitation does not count'],
    },
    {
      id: 'users.put.4b',
      says: 'Two owners who demote each other at once cannot both succeed.',
      heldBy: [
        'two owners at once never leave a tenant without one > %s',
        'two owners at once while a third remains > %s',
      ],
    },
    {
      id: 'users.put.5a',
      says: 'A new role applies from the next request, and the sessions are revoked.',
      heldBy: [
        'a new role applies from the next request and revokes the sessions, without a 401',
        'after a change of role the current sign-in goes on with the new role, and cannot be renewed',
      ],
    },
    {
      id: 'users.put.5b',
      says: 'A change of the display name alone keeps the user signed in.',
      heldBy: [
        'a display-name-only change keeps them signed in',
        'after a change of the display name alone the sign-in is renewed as before',
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
      heldBy: ['200 their display name may change and role viewer is accepted'],
    },
    {
      id: 'users.put.7a',
      says: 'An environment-bound key, even an owner’s, cannot do owner actions or make an owner: 403 with fixed texts.',
      heldBy: ["403 with its texts: no owner made, no owner's role changed, no other owner renamed"],
    },
    {
      id: 'users.put.7b',
      says: 'Otherwise it may change the same users as a manager’s key.',
      heldBy: ["200 otherwise it changes users as a manager's key would"],
    },
    {
      id: 'users.delete.1a',
      says: 'Only an owner removes a user or withdraws an invitation.',
      heldBy: ['rule 1: only an owner removes a user or withdraws an invitation; anyone else is 403'],
    },
    {
      id: 'users.delete.1b',
      says: 'An environment-bound key is 403, even an owner’s.',
      heldBy: ["rule 1: an environment-bound API key is 403, an owner's key included"],
    },
    {
      id: 'users.delete.2a',
      says: 'Removing oneself is 400; use DELETE /users/me instead.',
      heldBy: ['rule 2: 400 removing oneself', '204 a(n) %s leaves: account, keys and sign-in are gone'],
    },
    {
      id: 'users.delete.2b',
      says: 'Removing the last owner is 400. A pending owner does not count as an owner.',
      heldBy: ['rule 2: 400 for the last owner when the caller loses the role on the way'],
    },
    {
      id: 'users.delete.3',
      says: 'Two owners who remove each other at once cannot both succeed.',
      heldBy: ['two owners at once never leave a tenant without one > %s'],
    },
    {
      id: 'users.delete.4a',
      says: 'If the sign-in account cannot be deleted, nothing is removed and the response is 409. A retry is possible.',
      heldBy: ['rule 4: 409 when the sign-in account cannot be deleted, nothing is removed, and it may be retried'],
    },
    {
      id: 'users.delete.4b',
      says: 'A lock conflict with a concurrent change is 409, and nothing is removed.',
      heldBy: ['rule 4: 409 with nothing removed when a concurrent change to the %s holds a lock'],
    },
    {
      id: 'users.delete.5',
      says: 'The audit entry is user.removed, or user.invitation.revoked for an invitation.',
      heldBy: ['rule 5: audited as user.removed', 'rule 5: audited as user.invitation.revoked'],
    },
    {
      id: 'users.delete.6',
      says: 'The user’s keys stop working and are deleted. The user’s reports stay, without the user’s id.',
      heldBy: [
        '204, and what hangs on the user is gone: keys deleted, agents and reports kept without them',
        '401 at once for the removed user, and for every key they created',
      ],
    },
    {
      id: 'users.mfa.1',
      says: 'A reset clears the factors, marks MFA as not enrolled, revokes refresh tokens and emails the user.',
      heldBy: [
        'rule 1: 200; factors cleared, marked as not enrolled, refresh tokens revoked, the user emailed, audited',
        'after an MFA reset the refresh tokens are revoked, of that person alone',
      ],
    },
    {
      id: 'users.mfa.2a',
      says: 'If the factors cannot be cleared, nothing changes and the response is 502. A retry is possible.',
      heldBy: ['rule 2: 502 when the factors cannot be cleared, nothing changes, and retry is allowed'],
    },
    {
      id: 'users.mfa.2b',
      says: 'A pending invitation has no factors to clear.',
      heldBy: ['rule 2: a pending invitation has no factors to clear'],
    },
    {
      id: 'users.mfa.3a',
      says: 'An owner may reset everyone’s MFA, except their own (403).',
      heldBy: ["rule 3: 200 an owner may reset anyone's MFA but their own", "rule 3: 403 resetting one's own MFA"],
    },
    {
      id: 'users.mfa.3b',
      says: 'A manager may reset only a member’s or viewer’s MFA.',
      heldBy: ["rule 3: a manager may reset a member's or viewer's only; 403 for a manager's or owner's"],
    },
    {
      id: 'users.mfa.3c',
      says: 'An environment-bound key has the rights of a manager, even an owner’s key.',
      heldBy: ["rule 3: an environment-bound key is treated as a manager's, an owner's key included"],
    },
    {
      id: 'users.mfa.3d',
      says: 'A member or viewer gets 403. A refusal writes nothing, not even an audit entry.',
      heldBy: ['rule 3: 403 a member, viewer or learner, whoever is named; a refusal writes and audits nothing'],
    },
    {
      id: 'users.platform-access.1',
      says: 'Only an owner or manager may do it. A role other than viewer, member or manager is 400, including owner.',
      heldBy: ['403 for anyone below manager, whatever the target and the body', '400 for the role %j, owner included'],
    },
    {
      id: 'users.platform-access.2a',
      says: 'The user must be an accepted learner. A pending learner, or a user with access, is 400; an unknown id is 404.',
      heldBy: [
        '400 for a pending invitation and for a user who already has platform access',
        '404 for an id naming no user of the tenant, before the body; 400 for one that is not a UUID',
      ],
    },
    {
      id: 'users.platform-access.2b',
      says: 'An account with Academy access only is 403 academy_only_account.',
      heldBy: [
        '403 academy_only_account for a learner who asks, for themselves too',
        'an account with Academy access only is 403 academy_only_account until it chooses a plan',
      ],
    },
    {
      id: 'users.platform-access.3a',
      says: 'A learner whose stored role is not viewer also gets the sent role.',
      heldBy: ['a learner row holding a role other than viewer is still given the role sent'],
    },
    {
      id: 'users.platform-access.3b',
      says: 'If the stored role is owner, the change needs an owner (403 otherwise), and the last owner keeps the role (409 without a code).',
      heldBy: [
        'a row holding owner requires owner authority: 403 for a manager and for an owner’s bound key',
        '409 with no code: the last owner keeps the role',
      ],
    },
    {
      id: 'users.platform-access.4a',
      says: 'Without a free seat it is 409 seat_limit_reached with its text in error and message, and nothing is written.',
      heldBy: ['409 seat_limit_reached with its text in error and message when every seat is in use, nothing written'],
    },
    {
      id: 'users.platform-access.4b',
      says: 'Seats and invitations are counted under a lock on the tenant.',
      heldBy: [
        'one free seat given to many learners at once goes to exactly one',
        'an invitation and a platform-access grant at once for the last seat: one of them gets it',
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
      heldBy: ['a grant on a row holding %s that gives %s revokes the person’s sessions: %s'],
    },
    {
      id: 'users.platform-access.7a',
      says: 'The audit entry is user.platform_access_granted, with the old role, the new role and the access scope. The welcome email is sent.',
      heldBy: ['200 gives an accepted learner the role %s: no longer a learner, and audited'],
    },
    {
      id: 'users.platform-access.7b',
      says: 'A welcome email that fails does not fail the request.',
      heldBy: ['200 for platform access whose welcome email cannot be sent'],
    },
    {
      id: 'users.access-scope.1a',
      says: 'Only an owner or manager may do it. A manager or an environment-bound key cannot change an owner’s access scope.',
      heldBy: [
        '403 for anyone below manager, themselves included, whatever the body',
        "403 for a manager or an environment-bound key, an owner's key included, on an owner",
      ],
    },
    {
      id: 'users.access-scope.1b',
      says: 'An owner is never scoped, even if the stored access scope is scoped.',
      heldBy: ['an owner is never scoped, whatever is set: 200, the field stays all and nothing is written'],
    },
    {
      id: 'users.access-scope.2',
      says: 'A scoped caller cannot set all for any user, including themselves.',
      heldBy: ['403 for a scoped caller who sets all for anyone, themselves included'],
    },
    {
      id: 'users.access-scope.3a',
      says: 'Setting all removes the agent grants and keeps the environment access.',
      heldBy: ["setting all removes the user's agent grants and keeps their environment access"],
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
        '200 for an owner, a manager and the user themselves; anyone else 403, for an unknown user too',
        "200 for an owner, a manager and the user themselves, with the environment's name and slug",
      ],
    },
    {
      id: 'users.grants.1b',
      says: 'A scoped caller sees only entries for what they can see.',
      heldBy: [
        'a scoped caller sees only entries for agents they can see',
        'a scoped caller sees only entries for environments they have access to',
      ],
    },
    {
      id: 'users.grants.2a',
      says: 'An owner or manager may create and revoke. Everyone else gets 403.',
      heldBy: [
        'POST /users/{user_id}/grants > 403 for anyone but an owner or manager',
        'DELETE /users/{user_id}/grants/{grant_id} > 403 for anyone but an owner or manager',
        'POST /users/{user_id}/environment-access > 403 for anyone but an owner or manager',
        '403 for anyone but an owner or manager, and for a bound key on an owner',
      ],
    },
    {
      id: 'users.grants.2b',
      says: 'The user, and the agent or environment, must belong to the tenant: 404 otherwise.',
      heldBy: [
        '404 for a user or an agent that is not of the tenant',
        '404 for a user or an environment that is not of the tenant',
      ],
    },
    {
      id: 'users.grants.2c',
      says: 'A scoped caller grants only what they see. Anything else is 404.',
      heldBy: [
        'a scoped caller may grant only an agent they can see',
        'a scoped caller may give access only to an environment they have access to',
      ],
    },
    {
      id: 'users.grants.3',
      says: 'A repeated request is 200 with the existing entry. It writes nothing, not even an audit entry.',
      heldBy: [
        '200 with the existing entry when repeated; nothing is written or audited',
        '200 with the same entry when repeated, nothing written',
        'one grant asked for many times at once is one entry',
      ],
    },
    {
      id: 'users.grants.4',
      says: 'Revoking an entry of another user, or one that a scoped caller cannot see, is 404.',
      heldBy: [
        "404 for an entry that is not the user's, unknown, or of another tenant",
        '404 for a scoped caller, and for a bound key, on an agent they cannot see',
        "404 for an entry that is not the user's, and for a scoped caller or a bound key on one they cannot see",
      ],
    },
    {
      id: 'users.grants.5',
      says: 'Environment access does not show the user any agent.',
      heldBy: ['environment access shows the user no agent; agents are granted separately'],
    },
    {
      id: 'users.grants.6',
      says: 'A grant is revoked by its id. Environment access is revoked by the entry’s id, not by the environment’s id.',
      heldBy: ['204 revokes the grant, audited; again it is 404', "204 by the entry's id, not the environment's"],
    },
    {
      id: 'users.pending.1',
      says: 'An invitation takes a seat at once. Withdrawing it frees the seat.',
      heldBy: ['its token is dead and its seat free again'],
    },
  ],
}
