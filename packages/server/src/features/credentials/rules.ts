import type { CredentialKind } from '@mandate/contract/credentials'
import { addressFault } from '@mandate/edge/outgoing/address'
import { byAccessOnly, type Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { invalid } from '../../refusal.ts'

export type CredentialConfig = Record<string, string>

/** Binds a sealed secret to its credential. It cannot be opened in a row of another credential or tenant. */
export const secretContext = (tenantId: string, id: string) => `credential:${tenantId}:${id}`

/** Headers that frame a message or belong to the protocol. A secret in one of them would break the request. */
const reservedHeader =
  /^(?:accept(?:-.*)?|connection|content-.*|expect|host|keep-alive|mcp-.*|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

interface Field {
  name: string
  optional?: true
  /** Returns what is wrong with the value, as the end of a sentence. */
  fault(value: string, privateAllowed: boolean): string | undefined
}

const matches = (pattern: RegExp, text: string) => (value: string) => (pattern.test(value) ? undefined : text)

const printable = /^[\x20-\x7e]+$/
const inPrintable = 'must be 1 to 2048 printable ASCII characters'
const fields: Record<CredentialKind, readonly Field[]> = {
  bearer: [],
  header: [
    {
      name: 'header',
      fault: (value) => {
        if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(value)) return 'must be the name of a header'
        return reservedHeader.test(value) ? 'must not be a header of the transport' : undefined
      },
    },
  ],
  basic: [
    { name: 'username', fault: matches(/^[^:\p{Cc}]+$/u, 'must not be empty, or have a colon or control characters') },
  ],
  environment: [
    {
      name: 'variable',
      fault: matches(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of an environment variable'),
    },
  ],
  oauth_client_credentials: [
    { name: 'token_url', fault: addressFault },
    { name: 'client_id', fault: matches(printable, inPrintable) },
    { name: 'scope', optional: true, fault: matches(printable, inPrintable) },
  ],
}

/**
 * Returns the settings to store: those of the kind. Other fields are ignored.
 * @throws 400 with the name of the field
 */
export function checkConfig(kind: CredentialKind, given: CredentialConfig, privateAllowed: boolean): CredentialConfig {
  const config: CredentialConfig = {}
  for (const { name, optional, fault } of fields[kind]) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined && optional) continue
    if (value === undefined) throw invalid(`config.${name} is required for the kind ${kind}`)
    const said = fault(value, privateAllowed)
    if (said !== undefined) throw invalid(`config.${name} ${said}`)
    config[name] = value
  }
  return config
}

const secretFaults: Record<CredentialKind, (secret: string) => string | undefined> = {
  bearer: matches(/^[\x21-\x7e]+$/, 'must be a token of printable ASCII characters'),
  header: matches(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be the value of a header, in printable ASCII'),
  basic: matches(/^\P{Cc}+$/u, 'must not have control characters'),
  environment: () => undefined,
  oauth_client_credentials: matches(printable, 'must be printable ASCII characters'),
}

/** @throws 400 for a secret that the kind cannot send to a server. The text never contains the secret. */
export function checkSecret(kind: CredentialKind, secret: string): void {
  const fault = secretFaults[kind](secret)
  if (fault !== undefined) throw invalid(`secret ${fault}`)
}

const credentialRules: Rules<unknown> = {
  updateCredential: byAccessOnly,
  rotateCredential: byAccessOnly,
  deleteCredential: byAccessOnly,
}

export const credentialMay = mayPart(credentialRules, () => (credential: object) => credential)
