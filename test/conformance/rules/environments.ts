import type { Section } from '../rule.ts'

export const environments: Section = {
  title: 'Environments',
  rules: [
    {
      id: 'environments.preview.1',
      says: 'The preview counts kept reports, live share links and listed reports. It changes nothing.',
      heldBy: ['200 with the counts of what is kept, live and listed; reading changes nothing'],
    },
    {
      id: 'environments.preview.2',
      says: 'The preview has the same counts as the audit entry of the deletion.',
      heldBy: [
        'counts as the deletion counts what it keeps in the audit trail',
        'the preview counts what the deletion of the environment then records, and what is really there after it',
      ],
    },
    {
      id: 'environments.preview.3',
      says: 'Only an owner deletes an environment, and never with an environment-bound key, even of that environment.',
      heldBy: ['%s: 403 for whoever is no owner', '%s: 403 for an environment-bound key of an owner'],
    },
    {
      id: 'environments.preview.4',
      says: 'An environment of another tenant, or one that a scoped user cannot access, is 404. A production environment is 400.',
      heldBy: [
        '%s: 404 for an environment not of the organization, 400 for production and for no UUID',
        '%s: 404 for one a scoped user has no access to, before the 403 for one they have',
      ],
    },
    {
      id: 'environments.delete.1',
      says: 'Deleting keeps the reports as organization-level reports, with evidence and share links.',
      heldBy: [
        'keeps its reports as organization-level reports, with evidence and share links',
        'work on when the report is deleted from the list, and when its environment is deleted',
        'a report made while its environment is deleted is kept as the organization’s, or not made',
      ],
    },
  ],
}
