import type { Section } from '../rule.ts'

export const environments: Section = {
  title: 'Environments',
  rules: [
    {
      id: 'environments.preview.1',
      says: 'The preview counts kept reports, live share links and listed reports. It changes nothing.',
      heldBy: ['200 with the counts of what is kept, active and listed; reading changes nothing'],
    },
    {
      id: 'environments.preview.2',
      says: 'The preview has the same counts as the audit entry of the deletion.',
      heldBy: [
        'counts the same as the audit entry of the deletion',
        'the preview counts what the deletion of the environment records, and what exists after it',
      ],
    },
    {
      id: 'environments.preview.3',
      says: 'Only an owner deletes an environment, and never with an environment-bound key, even of that environment.',
      heldBy: [
        '%s: 403 for a caller who is not an owner',
        '%s: 403 for an owner’s environment-bound key, even for its own environment',
      ],
    },
    {
      id: 'environments.preview.4',
      says: 'An environment of another tenant, or one that a scoped user cannot access, is 404. A production environment is 400.',
      heldBy: [
        '%s: 404 for an environment of another organization, 400 for production and for an id that is not a UUID',
        '%s: 404 for an environment that a scoped user has no access to, 403 with access',
      ],
    },
    {
      id: 'environments.delete.1',
      says: 'Deleting keeps the reports as organization-level reports, with evidence and share links.',
      heldBy: [
        'keeps its reports as reports of the organization, with evidence and share links',
        'still work after the report is removed from the list, and after its environment is deleted',
        'a report that is made while its environment is deleted becomes the organization’s, or is not made',
      ],
    },
  ],
}
