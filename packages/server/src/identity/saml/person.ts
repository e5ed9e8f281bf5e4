import { isAddress } from '@mandate/contract/fields/address-key'
import { IdentityFailure } from '../failure.ts'
import type { SignedAssertion } from './assertion.ts'
import { printableList } from './printable.ts'

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/**
 * Names of the attributes in which identity providers send an email address: plain names, the object ids of `mail` in LDAP and
 * of `emailAddress` in PKCS #9 (Keycloak), and the claims of Microsoft.
 */
const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailAddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'urn:oid:1.2.840.113549.1.9.1',
  `${CLAIMS}/emailaddress`,
]
/**
 * Other names, which count only if the name id is not an address, because some providers let people edit these fields. They are
 * listed one by one, because `manager.email` is the address of somebody else.
 */
const MORE_EMAIL_ATTRIBUTES = [
  'http://schemas.xmlsoap.org/claims/EmailAddress',
  'urn:mace:dir:attribute-def:mail',
  'urn:mace:dir:attribute-def:email',
  `${CLAIMS}/email`,
  'http://schemas.auth0.com/email',
  'user.email',
  'userEmail',
  'user.mail',
  'primaryEmail',
  'emails',
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
 * Reads the person from a SAML assertion. The email address comes from an attribute, from the name id if the name id is an
 * email address, or else from another attribute. Throws IdentityFailure `refused` if the name id is transient (it changes with
 * each sign-in), or if there is no email address.
 */
export function readPerson({ nameId, nameIdFormat, attributes }: SignedAssertion) {
  if (nameIdFormat === TRANSIENT) {
    throw new IdentityFailure(
      'refused',
      'the SAML name id is transient; the identity provider must send a persistent name id',
    )
  }
  const known = Map.groupBy(attributes, ({ name }) => spelling(name))
  const allOf = (names: string[]) => names.flatMap((name) => known.get(spelling(name)) ?? []).map(({ value }) => value)
  const first = (names: string[]) => allOf(names)[0]
  const email = [...allOf(EMAIL_ATTRIBUTES), nameId, ...allOf(MORE_EMAIL_ATTRIBUTES)]
    .map((value) => value.replace(/^mailto:/i, ''))
    .find(isAddress)
  if (email === undefined) {
    const received = attributes.length > 0 ? printableList(attributes.map(({ name }) => name)) : 'none'
    throw new IdentityFailure(
      'refused',
      `the SAML assertion has no email address in the name id or in a known attribute; its attributes are: ${received}`,
    )
  }
  const fullName = [first(GIVEN_NAME_ATTRIBUTES), first(SURNAME_ATTRIBUTES)].filter(Boolean).join(' ')
  return { subject: nameId, email, displayName: first(NAME_ATTRIBUTES) ?? (fullName || null) }
}

/** Providers write `Email`, `E-Mail` or `email_address`, and object ids also with `oid:` or without `urn:oid:`. */
const spelling = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/^(?:(?:urn:)?oid:|oid\.)/, '')
    .replaceAll(/[-_ ]/g, '')
