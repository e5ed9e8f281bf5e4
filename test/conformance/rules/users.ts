import type { Section } from '../rule.ts'

export const users: Section = {
  title: 'Users',
  rules: [
    {
      id: 'users.list.1',
      says: 'The list holds the users of the tenant, pending invitations and learners included, a page at a time; every user may list.',
      heldBy: [
        'returns users of the tenant, pending invitations and Academy learners included, one page at a time',
        'every user of the tenant may list, a scoped one and an environment-bound key too',
      ],
    },
    {
      id: 'users.list.2',
      says: 'search is a case-insensitive part of name or email, and narrows page and total alike.',
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
      says: 'A sort value out of the enums gives the default order, not 400.',
      heldBy: ['any sort_by or sort_order value outside the enums gives the default order, not 400'],
    },
    {
      id: 'users.list.5',
      says: 'limit is 50 when left out; above 200 it is 200, below 1 it is 1, and neither is 400.',
      heldBy: ['a limit above 200 is read as 200 and below 1 as 1, a negative offset as 0, none of them 400'],
    },
    {
      id: 'users.get.1',
      says: 'Every user of the tenant may read any other, and their own record.',
      heldBy: ['every user of the tenant may read any other user, and their own record'],
    },
    {
      id: 'users.get.2',
      says: 'A user of another tenant is 404, as an unknown id is.',
      heldBy: ['404 for a user of another tenant and for an unknown id, the same'],
    },
    {
      id: 'users.put.1',
      says: 'An omitted field keeps its value; a role out of the enum is 400.',
      heldBy: ['200 an omitted field keeps its stored value', '400 %j, and error names %s'],
    },
    {
      id: 'users.put.2a',
      says: 'A display name is cleaned: white space runs become one space; control, bidirectional marks and U+FEFF are dropped; trimmed.',
      heldBy: [
        '%j becomes %j: %s',
        'U+%s is dropped',
        'U+%s is white space',
        'is cleaned before storing; a name with nothing left is stored empty',
      ],
    },
    {
      id: 'users.put.2b',
      says: 'More than 200 characters once cleaned is 400 with its text, before anything is read or written.',
      heldBy: [
        '400 with its exact text when more remain, before anything is read or written',
        '400 with its exact text when more than 200 characters remain once cleaned',
      ],
    },
    {
      id: 'users.put.2c',
      says: 'A name is never cut.',
      heldBy: [
        'never cuts: a name is either cleaned whole or refused',
        '200 at 200 characters once cleaned, code points counted, and never cut',
      ],
    },
    {
      id: 'users.put.2d',
      says: 'A name with nothing left is stored empty.',
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
      says: 'A manager may change anyone but an owner, and makes no owner.',
      heldBy: ['a manager may change any user but an owner and may not make anyone an owner'],
    },
    {
      id: 'users.put.3d',
      says: 'A member or viewer who sends role, or names another user, gets 403.',
      heldBy: ['403 a member or viewer who sends role, or who names another user'],
    },
    {
      id: 'users.put.4a',
      says: 'Taking the role from the last owner is 409 with no code; a pending owner is none.',
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
      says: 'A role change is audited as user.role_changed with the old and the new role.',
      heldBy: ['a role change is audited as user.role_changed with the old and new role'],
    },
    {
      id: 'users.put.6a',
      says: 'Any role but viewer for a learner is 409 academy_only_user with its text in error and message; nothing is written.',
      heldBy: ['409 academy_only_user with its text for role %s, and nothing is written'],
    },
    {
      id: 'users.put.6b',
      says: 'The 403 refusals come before that.',
      heldBy: ['the 403 refusals of rule 3 come first'],
    },
    {
      id: 'users.put.6c',
      says: 'A learner’s display name may change, and role viewer is accepted.',
      heldBy: ['200 their display name may change and role viewer is accepted'],
    },
    {
      id: 'users.put.7a',
      says: 'An environment-bound key takes no owner’s action and makes no owner: 403 with the texts, an owner’s key included.',
      heldBy: ["403 with its texts: no owner made, no owner's role changed, no other owner renamed"],
    },
    {
      id: 'users.put.7b',
      says: 'Otherwise it changes users as a manager’s key would.',
      heldBy: ["200 otherwise it changes users as a manager's key would"],
    },
    {
      id: 'users.delete.1a',
      says: 'Only an owner removes a user or withdraws an invitation.',
      heldBy: ['rule 1: only an owner removes a user or withdraws an invitation; anyone else is 403'],
    },
    {
      id: 'users.delete.1b',
      says: 'An environment-bound key is 403, an owner’s included.',
      heldBy: ["rule 1: an environment-bound API key is 403, an owner's key included"],
    },
    {
      id: 'users.delete.2a',
      says: 'Removing oneself is 400; DELETE /users/me does that.',
      heldBy: ['rule 2: 400 removing oneself', '204 a(n) %s leaves: account, keys and sign-in are gone'],
    },
    {
      id: 'users.delete.2b',
      says: 'Removing the last owner is 400; a pending owner is none.',
      heldBy: ['rule 2: 400 for the last owner when the caller loses the role on the way'],
    },
    {
      id: 'users.delete.3',
      says: 'Two owners who remove each other at once cannot both succeed.',
      heldBy: ['two owners at once never leave a tenant without one > %s'],
    },
    {
      id: 'users.delete.4a',
      says: 'When the sign-in account cannot be deleted, nothing is removed and the answer is 409; it may be retried.',
      heldBy: ['rule 4: 409 when the sign-in account cannot be deleted, nothing is removed, and it may be retried'],
    },
    {
      id: 'users.delete.4b',
      says: 'A concurrent change met on a lock is 409 with nothing removed.',
      heldBy: ['rule 4: 409 with nothing removed when a concurrent change to the %s holds a lock'],
    },
    {
      id: 'users.delete.5',
      says: 'Audited as user.removed, or user.invitation.revoked for an invitation.',
      heldBy: ['rule 5: audited as user.removed', 'rule 5: audited as user.invitation.revoked'],
    },
    {
      id: 'users.delete.6',
      says: 'The keys the user created stop working and are deleted; reports they generated stay without them.',
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
      says: 'When the factors cannot be cleared nothing changes, and the answer is 502; retry is allowed.',
      heldBy: ['rule 2: 502 when the factors cannot be cleared, nothing changes, and retry is allowed'],
    },
    {
      id: 'users.mfa.2b',
      says: 'A pending invitation has no factors to clear.',
      heldBy: ['rule 2: a pending invitation has no factors to clear'],
    },
    {
      id: 'users.mfa.3a',
      says: 'An owner may reset anyone’s MFA but their own, which is 403.',
      heldBy: ["rule 3: 200 an owner may reset anyone's MFA but their own", "rule 3: 403 resetting one's own MFA"],
    },
    {
      id: 'users.mfa.3b',
      says: 'A manager may reset a member’s or viewer’s only.',
      heldBy: ["rule 3: a manager may reset a member's or viewer's only; 403 for a manager's or owner's"],
    },
    {
      id: 'users.mfa.3c',
      says: 'An environment-bound key counts as a manager’s, an owner’s included.',
      heldBy: ["rule 3: an environment-bound key is treated as a manager's, an owner's key included"],
    },
    {
      id: 'users.mfa.3d',
      says: 'A member or viewer is 403; a refusal writes and audits nothing.',
      heldBy: ['rule 3: 403 a member, viewer or learner, whoever is named; a refusal writes and audits nothing'],
    },
    {
      id: 'users.platform-access.1',
      says: 'Only an owner or manager; a role but viewer, member, manager is 400, owner included.',
      heldBy: ['403 for anyone below manager, whatever the target and the body', '400 for the role %j, owner included'],
    },
    {
      id: 'users.platform-access.2a',
      says: 'The target is an accepted learner: a pending one or a user with access is 400, an unknown id 404.',
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
      says: 'A learner’s row with another role is still given the role sent.',
      heldBy: ['a learner row holding a role other than viewer is still given the role sent'],
    },
    {
      id: 'users.platform-access.3b',
      says: 'A row that holds owner takes owner authority (403), and the last owner keeps it (409, no code).',
      heldBy: [
        'a row holding owner requires owner authority: 403 for a manager and for an owner’s bound key',
        '409 with no code: the last owner keeps the role',
      ],
    },
    {
      id: 'users.platform-access.4a',
      says: 'With no free seat it is 409 seat_limit_reached with its text in error and message; nothing is written.',
      heldBy: ['409 seat_limit_reached with its text in error and message when every seat is in use, nothing written'],
    },
    {
      id: 'users.platform-access.4b',
      says: 'Seats are counted with the tenant locked, invitations under the same lock.',
      heldBy: [
        'one free seat given to many learners at once goes to exactly one',
        'an invitation and a platform-access grant at once for the last seat: one of them gets it',
      ],
    },
    {
      id: 'users.platform-access.5a',
      says: 'The person becomes scoped when the caller is scoped or uses a bound key; otherwise the scope is kept.',
      heldBy: ['the access scope becomes scoped when the caller is scoped or uses a bound key; otherwise it is kept'],
    },
    {
      id: 'users.platform-access.5b',
      says: 'It applies from the person’s next request.',
      heldBy: ['platform-access > applies from the person’s next request'],
    },
    {
      id: 'users.platform-access.6',
      says: 'A grant that lowers the role held revokes the sessions; one that keeps or raises it does not.',
      heldBy: ['a grant on a row holding %s that gives %s revokes the person’s sessions: %s'],
    },
    {
      id: 'users.platform-access.7a',
      says: 'Audited as user.platform_access_granted with role held, role given and access scope; the welcome email is sent.',
      heldBy: ['200 gives an accepted learner the role %s: no longer a learner, and audited'],
    },
    {
      id: 'users.platform-access.7b',
      says: 'A welcome email that fails does not fail the request.',
      heldBy: ['200 for platform access whose welcome email cannot be sent'],
    },
    {
      id: 'users.access-scope.1a',
      says: 'Owner or manager only; a manager or an environment-bound key does not change an owner’s.',
      heldBy: [
        '403 for anyone below manager, themselves included, whatever the body',
        "403 for a manager or an environment-bound key, an owner's key included, on an owner",
      ],
    },
    {
      id: 'users.access-scope.1b',
      says: 'An owner is never scoped, whatever is set.',
      heldBy: ['an owner is never scoped, whatever is set: 200, the field stays all and nothing is written'],
    },
    {
      id: 'users.access-scope.2',
      says: 'A scoped caller cannot set all for anyone, themselves included.',
      heldBy: ['403 for a scoped caller who sets all for anyone, themselves included'],
    },
    {
      id: 'users.access-scope.3a',
      says: 'Setting all takes the agent grants away and keeps the environment access.',
      heldBy: ["setting all removes the user's agent grants and keeps their environment access"],
    },
    {
      id: 'users.access-scope.3b',
      says: 'It applies from the user’s next request.',
      heldBy: ['applies from the user’s next request, and to their keys at once'],
    },
    {
      id: 'users.grants.1a',
      says: 'Listing is for an owner, a manager and the user themselves; anyone else is 403.',
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
      says: 'Creating and revoking is for an owner or manager; anyone else is 403.',
      heldBy: [
        'POST /users/{user_id}/grants > 403 for anyone but an owner or manager',
        'DELETE /users/{user_id}/grants/{grant_id} > 403 for anyone but an owner or manager',
        'POST /users/{user_id}/environment-access > 403 for anyone but an owner or manager',
        '403 for anyone but an owner or manager, and for a bound key on an owner',
      ],
    },
    {
      id: 'users.grants.2b',
      says: 'The user, and the agent or environment, belong to the tenant: 404 otherwise.',
      heldBy: [
        '404 for a user or an agent that is not of the tenant',
        '404 for a user or an environment that is not of the tenant',
      ],
    },
    {
      id: 'users.grants.2c',
      says: 'A scoped caller grants only what they see; any other is 404.',
      heldBy: [
        'a scoped caller may grant only an agent they can see',
        'a scoped caller may give access only to an environment they have access to',
      ],
    },
    {
      id: 'users.grants.3',
      says: 'Repeating is 200 with the existing entry; nothing is written or audited.',
      heldBy: [
        '200 with the existing entry when repeated; nothing is written or audited',
        '200 with the same entry when repeated, nothing written',
        'one grant asked for many times at once is one entry',
      ],
    },
    {
      id: 'users.grants.4',
      says: 'Revoking what is not the user’s, or what a scoped caller cannot see, is 404.',
      heldBy: [
        "404 for an entry that is not the user's, unknown, or of another tenant",
        '404 for a scoped caller, and for a bound key, on an agent they cannot see',
        "404 for an entry that is not the user's, and for a scoped caller or a bound key on one they cannot see",
      ],
    },
    {
      id: 'users.grants.5',
      says: 'Environment access shows the user no agent.',
      heldBy: ['environment access shows the user no agent; agents are granted separately'],
    },
    {
      id: 'users.grants.6',
      says: 'Grants are revoked by the grant’s id, access by the entry’s id and not the environment’s.',
      heldBy: ['204 revokes the grant, audited; again it is 404', "204 by the entry's id, not the environment's"],
    },
    {
      id: 'users.pending.1',
      says: 'An invitation takes a seat at once; withdrawn, the seat is free.',
      heldBy: ['its token is dead and its seat free again'],
    },
  ],
}
