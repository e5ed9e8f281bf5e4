import { IdentityFailure } from '../failure.ts'
import type { SignedAssertion } from './assertion.ts'

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const EMAIL_MAX = 254
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** Under these names identity providers send an address: plain, as an LDAP object id, as Microsoft does. */
const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailAddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  `${CLAIMS}/emailaddress`,
]
const NAME_ATTRIBUTES = [
  'displayName',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'name',
]
const GIVEN_NAME_ATTRIBUTES = ['firstName', 'givenName', 'urn:oid:2.5.4.42', `${CLAIMS}/givenname`]
const SURNAME_ATTRIBUTES = ['lastName', 'surname', 'sn', 'urn:oid:2.5.4.4', `${CLAIMS}/surname`]

/**
 * Who an assertion speaks of. The address is an attribute's, or the name id itself where that is an address.
 * @throws IdentityFailure `refused` when the name id changes with each sign-in, or no address is named
 */
export function readPerson({ nameId, nameIdFormat, attributes }: SignedAssertion) {
  if (nameIdFormat === TRANSIENT) {
    throw new IdentityFailure('refused', 'the SAML assertion names no lasting subject')
  }
  const first = (names: string[]) => names.map((name) => attributes.get(name)).find((value) => value !== undefined)
  const email = first(EMAIL_ATTRIBUTES) ?? nameId
  if (email.length > EMAIL_MAX || !/^[^\s@]+@[^\s@]+$/.test(email))
    throw new IdentityFailure('refused', 'the SAML assertion names no email address')
  const fullName = [first(GIVEN_NAME_ATTRIBUTES), first(SURNAME_ATTRIBUTES)].filter(Boolean).join(' ')
  return { subject: nameId, email, displayName: first(NAME_ATTRIBUTES) ?? (fullName || null) }
}
