import type { Section } from '../rule.ts'

export const errors: Section = {
  title: 'Errors',
  rules: [
    {
      id: 'errors.body.1',
      says: 'An error body has error. An error with a code also has code, and message with the same text.',
      heldBy: [
        '%s: always has error; a coded refusal also has code and message, equal to error; a refused key has a numeric code',
        'lists the error codes of each status',
        '409 academy_only_user with its text for role %s',
        '409 seat_limit_reached with its text in error and message if all seats are in use; nothing is written',
        '409 academy_learner_exists for a learner, in upper or lower case, before seats are counted',
        'an account with Academy access only is 403 academy_only_account until it chooses a plan',
      ],
    },
    {
      id: 'errors.body.2',
      says: 'An error of key authentication has error and a numeric code.',
      heldBy: [
        'an unknown, revoked or expired key gets one answer',
        '403 with the exact text for every write with a read-only key',
        '429 has the body {error, code: 429}',
      ],
    },
    {
      id: 'errors.400',
      says: '400 for a path id that is not a UUID, a body value of the wrong type or outside its enum, or an invalid filter.',
      heldBy: [
        '%s: 400 that names the path id which is not a UUID',
        '%s: every field with every hostile value',
        'wrong, repeated and unknown query parameters',
      ],
    },
    {
      id: 'errors.401',
      says: '401 for missing or invalid credentials, and for an unknown, revoked or expired key.',
      heldBy: [
        'without a header, with another scheme, and with an empty or doubled token',
        '%s answers as documented, and a refusal writes nothing',
      ],
    },
    {
      id: 'errors.402',
      says: '402 plan_upgrade_required, with minimum_plan and current_plan, for SAML without the Enterprise plan.',
      heldBy: ['402 without the Enterprise plan, with minimum_plan and current_plan, on %s'],
    },
    {
      id: 'errors.403',
      says: '403 for an insufficient role or scope, another tenant’s id, a bound key outside its environment, and resetting one’s own MFA.',
      heldBy: [
        'the whole matrix equals the committed one',
        '403 for another tenant’s id whatever the role, and for an unknown id',
        'rule 3: 403 for resetting one’s own MFA through this route, in person or by key',
      ],
    },
    {
      id: 'errors.404',
      says: '404 for an unknown id, another tenant’s resource, or a resource that the caller cannot see.',
      heldBy: [
        '%s refuses the owner of another tenant and their key, and writes nothing',
        '%s is 404 with the same bytes for an unknown agent, an agent of another tenant and an invisible one; nothing is written',
      ],
    },
    {
      id: 'errors.409',
      says: '409 without a code for the last owner’s role, a sign-in account that cannot be deleted, and a lock conflict.',
      heldBy: [
        '409 without a code if the last owner gives up the role; a pending owner invitation does not count',
        'rule 4: 409 if the sign-in account cannot be deleted; nothing is removed, and a retry is possible',
        'rule 4: 409 and nothing is removed while a concurrent change of the %s holds a lock; a retry is 204',
      ],
    },
    {
      id: 'errors.409.owner_elsewhere',
      says: '409 if an address that owns a tenant accepts an owner invitation.',
      heldBy: ['409 owner_elsewhere for an owner invitation to an address that owns a tenant'],
    },
    {
      id: 'errors.502',
      says: '502 if the identity provider did not clear the factors. Nothing changed.',
      heldBy: ['rule 2: 502 if the factors cannot be cleared; nothing changes, and a retry is possible'],
    },
  ],
}

export const limits: Section = {
  title: 'Limits and versioning',
  rules: [
    {
      id: 'limits.rate.1',
      says: '100 requests a minute, shared by all keys of a tenant.',
      heldBy: [
        'the 101st request of a minute is 429: the rate is 100, shared by the keys of the tenant',
        'is shared by all keys of a tenant and not with other tenants',
      ],
    },
    {
      id: 'limits.rate.2',
      says: 'Sessions are counted separately, per person.',
      heldBy: ['is counted per person: requests of API keys and of other people do not count'],
    },
    {
      id: 'limits.pages.1',
      says: 'The user list has a limit of 50 by default, clamped to 1 to 200. The key list has 50 by default, at most 200.',
      heldBy: [
        'a limit above 200 counts as 200 and below 1 as 1, and a negative offset as 0, without 400',
        'limit defaults to 50 and is at most 200; values out of range are clamped, and text is 400',
      ],
    },
    {
      id: 'limits.name.1',
      says: 'display_name has at most 200 characters after cleaning.',
      heldBy: ['200 for 200 characters after cleaning, counted as code points, and never cut'],
    },
    {
      id: 'limits.seats.1',
      says: 'max_users counts users who are not learners, and pending invitations.',
      heldBy: [
        '400 without a code for an invitation if users and pending invitations fill the plan; learners take no seat',
      ],
    },
    {
      id: 'versioning.1',
      says: 'Served under /api/v1; the interface description is version 0.1.0.',
      heldBy: ['/api/v1/openapi.json is OpenAPI 3.1, version 0.1.0, and contains every endpoint'],
    },
    {
      id: 'versioning.2',
      says: 'Every heartbeat reports the policy_version that the edge enforces, and its response names the current version.',
      heldBy: [
        'the newest version is carried to the edge in the mission profile as policy_version',
        'the edge reports the version it enforces on every heartbeat, and the agent shows it as running',
      ],
    },
  ],
}
