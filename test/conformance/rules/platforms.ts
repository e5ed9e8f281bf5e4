import type { Section } from '../rule.ts'

export const platforms: Section = {
  title: 'Connected platforms',
  rules: [
    {
      id: 'platforms.list.1',
      says: 'GET /platforms lists the tenant’s connections with their sync health.',
      heldBy: ['200 with the tenant’s connections, oldest first, and the result of their last synchronization'],
    },
    {
      id: 'platforms.list.2',
      says: 'It needs the Pro plan or higher: 402 otherwise.',
      heldBy: ['402 below the Pro plan, with the required plan; 200 on Pro and on Enterprise'],
    },
    {
      id: 'platforms.list.3',
      says: 'The stored secret is never returned. has_auth_secret says whether there is a secret.',
      heldBy: [
        'never returns the stored secret, in no response and no audit entry, only has_auth_secret; it is stored sealed',
      ],
    },
    {
      id: 'binding.4b',
      says: 'Connecting or changing a platform is 403 for a bound key.',
      heldBy: [
        '403 for member, viewer and an owner’s environment-bound key, whatever the body; 201 for a manager',
        '403 for member and an environment-bound key, 404 for an id of another tenant, 400 for an id that is not a UUID',
      ],
    },
  ],
}
