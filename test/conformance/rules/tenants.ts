import type { Section } from '../rule.ts'

export const tenants: Section = {
  title: 'Tenants',
  rules: [
    {
      id: 'tenants.get.1',
      says: 'Any user of the tenant may read it.',
      heldBy: ['200 for every role, a scoped user and every kind of key of the tenant'],
    },
    {
      id: 'tenants.get.2',
      says: 'Another tenant’s id is 403, whatever the role.',
      heldBy: ['403 for another tenant’s id whatever the role, and for an unknown id'],
    },
    {
      id: 'tenants.get.3',
      says: '404 means that the tenant was deleted while the request was in flight.',
      heldBy: ['404 on GET %s if the tenant is deleted during the request'],
    },
    {
      id: 'tenants.put.1',
      says: 'Only an owner of the tenant may do it, and not with an environment-bound key.',
      heldBy: [
        'PUT /tenants/{id}: permissions > 403 unless id is the caller’s tenant, before the body is validated',
        '403 for callers who are not an owner, and for an environment-bound key, even an owner’s',
      ],
    },
    {
      id: 'tenants.put.2',
      says: 'An omitted field keeps its value. A blank name is 400.',
      heldBy: ['a field left out keeps its stored value; a rename', '400 for the blank name %j; nothing is written'],
    },
    {
      id: 'tenants.put.3a',
      says: 'Setting a SAML field while SAML is on, or is being turned on, needs the Enterprise plan: 402 otherwise.',
      heldBy: ['402 without the Enterprise plan, with minimum_plan and current_plan, on %s'],
    },
    {
      id: 'tenants.put.3b',
      says: 'It also needs every SAML field, in the request or stored: 400 otherwise.',
      heldBy: [
        '400 for turning SAML on without %s; a blank value does not count',
        '400 with the name of a missing field on the Enterprise plan; nothing is written, not even a sent name',
        'a field left out keeps its stored value, which counts as set',
      ],
    },
    {
      id: 'tenants.put.3c',
      says: 'The plan is checked before the fields.',
      heldBy: ['402 comes before any error about the fields'],
    },
    {
      id: 'tenants.put.3d',
      says: 'A request without a SAML field needs neither. Turning SAML off needs no plan.',
      heldBy: ['every plan may turn SAML off, and change a setting while SAML is off'],
    },
    {
      id: 'tenants.put.4a',
      says: 'The domain is stored trimmed and in lower case. An empty text clears it, but not while SAML is on.',
      heldBy: [
        'the domain is trimmed and lowercased',
        '400 for clearing the domain or the provider id while SAML is on; with SAML off both can be cleared',
      ],
    },
    {
      id: 'tenants.put.4b',
      says: 'Sign-in finds the tenant by the lowercased domain of the address.',
      heldBy: ['offers SAML by the lower-cased domain of the address, whether the address is known or not'],
    },
    {
      id: 'tenants.put.5a',
      says: 'saml_provider_id is accepted with or without the prefix, and stored trimmed and without the prefix. A blank text clears it.',
      heldBy: ['%j is stored as %j: with or without the prefix, trimmed; blank clears it'],
    },
    {
      id: 'tenants.put.5b',
      says: 'An invalid provider id is 400, with or without the prefix.',
      heldBy: ['saml_provider_id > 400 for %j: %s', '400 for an invalid saml_provider_id, certificate or sign-on URL'],
    },
    {
      id: 'tenants.put.6a',
      says: 'A tenant with SAML on and without a provider id must set the id with its next SAML change.',
      heldBy: [
        'a tenant with SAML on and without saml_provider_id must set it with its next SAML change, and may rename itself',
      ],
    },
    {
      id: 'tenants.put.6b',
      says: 'Until then it has no SAML sign-in.',
      heldBy: ['offers no SAML while the tenant has disabled it or has no provider id'],
    },
    {
      id: 'tenants.put.6c',
      says: 'Just-in-time provisioning, and the proof of an invited address, use the tenant’s own provider.',
      heldBy: [
        'the tenant’s own provider > proves an invited address, and joins it with the invited role',
        'the tenant’s own provider > proves nothing for another tenant, even with the same entity id and an invitation there',
        'if it was issued for another provider, even one with the same key and addresses',
      ],
    },
    {
      id: 'tenants.put.7',
      says: 'A tenant without the Enterprise plan may change its name and turn SAML off. Changing a SAML setting is 402.',
      heldBy: [
        'a tenant that left the Enterprise plan may rename itself and turn SAML off; a SAML setting is 402',
        '402 for sending a setting while SAML stays on after the tenant left the plan, even unchanged',
      ],
    },
    {
      id: 'tenants.put.8',
      says: 'The 402 has plan_upgrade_required, minimum_plan and current_plan.',
      heldBy: ['402 without the Enterprise plan, with minimum_plan and current_plan, on %s'],
    },
    {
      id: 'tenants.invite.1a',
      says: 'Only an owner or manager of the tenant may invite.',
      heldBy: ["403 unless id is the caller's tenant, and for anyone below manager, whatever the body"],
    },
    {
      id: 'tenants.invite.1b',
      says: 'Only an owner invites an owner; a manager or an environment-bound key is 403.',
      heldBy: ['only an owner invites an owner: 403 for a manager and for an environment-bound key, even an owner’s'],
    },
    {
      id: 'tenants.invite.2',
      says: 'The address is trimmed; an empty or malformed one is 400.',
      heldBy: [
        '202 with user_id, tenant_id, email, role, message and mail_delivery; the user is pending',
        'POST /tenants/{id}/invite: the address > 400 for the address %j',
      ],
    },
    {
      id: 'tenants.invite.3',
      says: 'The invited person joins with access all. If a scoped manager invites, the person joins scoped and without grants.',
      heldBy: [
        'the user is pending and joins with access scope all',
        'an invitation by a scoped manager or an environment-bound key starts scoped without grants',
      ],
    },
    {
      id: 'tenants.invite.4',
      says: 'A learner’s address, in any letter case, is 409 academy_learner_exists with its texts, before seats are checked.',
      heldBy: ['409 academy_learner_exists for a learner, in upper or lower case, before seats are counted'],
    },
    {
      id: 'tenants.invite.5',
      says: 'At the user limit it is 400 without a code. Pending invitations count, learners do not, and the count is made under the lock.',
      heldBy: [
        '400 without a code for an invitation if users and pending invitations fill the plan; learners take no seat',
        '400 for all but one of 30 concurrent invitations for one free seat',
        'of a concurrent invitation and platform-access grant for the last seat, one gets it',
      ],
    },
    {
      id: 'tenants.invite.6',
      says: '202 means that the invitation exists, even if its mail cannot be sent.',
      heldBy: [
        '202 means that the invitation exists, not that its mail was sent: the mail is in the outbox, committed with it',
        'a mail that cannot be sent does not fail the request, and is sent later',
      ],
    },
    {
      id: 'tenants.invite.7a',
      says: 'An owner invitation gets the same response, whether or not the address owns a tenant.',
      heldBy: ['the response is the same for the address of another tenant’s user or owner'],
    },
    {
      id: 'tenants.invite.7b',
      says: 'If an address that owns a tenant accepts it, the response is 409 owner_elsewhere.',
      heldBy: ['409 owner_elsewhere for an owner invitation to an address that owns a tenant'],
    },
  ],
}
