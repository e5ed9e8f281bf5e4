import { X509Certificate } from 'node:crypto'
import { minimumPlans } from '@mandate/contract/words/plans'
import { invalid, planRequired } from '../../../refusal.ts'
import { isLoopback } from '../../../security/loopback.ts'
import { normaliseEmailDomain } from './email-domain.ts'

export interface SamlSettings {
  saml_enabled: boolean
  saml_entity_id: string
  saml_sso_url: string
  saml_certificate: string
  saml_email_domain: string
  saml_provider_id: string
}
export type SamlChange = { [F in keyof SamlSettings]?: SamlSettings[F] | undefined }

export const samlFields = [
  'saml_enabled',
  'saml_entity_id',
  'saml_sso_url',
  'saml_certificate',
  'saml_email_domain',
  'saml_provider_id',
] as const satisfies (keyof SamlSettings)[]

const textFields = samlFields.filter((field) => field !== 'saml_enabled')

/**
 * Returns the settings after a change. A field that is left out keeps its stored value, and an empty text clears it.
 * @throws 402 if the change sets a field and SAML is enabled, but the plan is not Enterprise. The 402 takes precedence over the
 *   400 below.
 * @throws 400 for an invalid value, and for a missing field while SAML is enabled
 */
export function applySamlChange(stored: SamlSettings, change: SamlChange, plan: string): SamlSettings {
  const result = samlSettingsOf(stored)
  const sent = samlFields.filter((field) => change[field] !== undefined)
  if (sent.length === 0) return result
  result.saml_enabled = change.saml_enabled ?? stored.saml_enabled
  if (result.saml_enabled && plan !== minimumPlans.saml) throw planRequired(minimumPlans.saml, plan)
  for (const field of textFields) {
    const value = change[field]
    if (value !== undefined) result[field] = normalise[field](value.trim())
  }
  const missing = textFields.find((field) => result[field] === '')
  if (result.saml_enabled && missing) throw invalid(`${missing} must be set while SAML sign-in is on`)
  return result
}

/** Copies the SAML settings from a row that may have more columns. */
export function samlSettingsOf(row: SamlSettings): SamlSettings {
  return Object.fromEntries(samlFields.map((field) => [field, row[field]])) as unknown as SamlSettings
}

const normalise: Record<(typeof textFields)[number], (trimmed: string) => string> = {
  saml_entity_id: (entityId) => entityId,
  saml_sso_url: normaliseSsoUrl,
  saml_certificate: normaliseCertificates,
  saml_email_domain: normaliseEmailDomain,
  saml_provider_id: normaliseProviderId,
}

/** Returns the `<id>` of a sign-in provider `saml.<id>`, given with or without the prefix; empty text stays empty. */
export function normaliseProviderId(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const id = trimmed.startsWith('saml.') ? trimmed.slice('saml.'.length) : trimmed
  if (!/^[a-z][A-Za-z0-9._-]*[A-Za-z0-9]$/.test(id)) {
    throw invalid(
      'saml_provider_id must start with a lowercase letter, end with a letter or digit, be at least two characters long and hold only letters, digits, -, _ and .',
    )
  }
  return id
}

/** Returns an https URL. Plain http is accepted only for a loopback address. */
export function normaliseSsoUrl(url: string): string {
  if (url === '') return ''
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopback(parsed))) return url
  throw invalid('saml_sso_url must be an https URL')
}

/** Maximum number of certificates of one provider. A provider that changes its key has two: its present one and the next one. */
const mostCertificates = 4
const pemStart = '-----BEGIN CERTIFICATE-----'

/**
 * Returns X.509 certificates in a normalised PEM format, each only once. Accepts PEM with other line breaks, indentation or text around it. One
 * certificate may also be given as base64 without PEM lines, as metadata contains it.
 * @throws 400 for anything else, for more than four certificates, and for a key that cannot verify a sign-in
 */
export function normaliseCertificates(given: string): string {
  if (given === '') return ''
  const [before = '', ...inPem] = given.split(pemStart)
  const parts = inPem.length === 0 ? [before] : inPem
  if (parts.length > mostCertificates)
    throw invalid(`saml_certificate must contain at most ${mostCertificates} certificates`)
  return [...new Set(parts.map((part) => normaliseCertificate(part.split('-----END CERTIFICATE-----')[0] ?? '')))].join(
    '',
  )
}

function normaliseCertificate(base64: string): string {
  const certificate = readCertificate(base64)
  if (!certificate) throw invalid('saml_certificate must be an X.509 certificate in PEM form, or several of them')
  const { asymmetricKeyType: type, asymmetricKeyDetails } = certificate.publicKey
  if (type !== 'rsa') {
    throw invalid(
      `saml_certificate must contain an RSA key, not a key of the type ${type}; sign-ins are verified with RSA only`,
    )
  }
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    throw invalid('saml_certificate must contain an RSA key of at least 2048 bits')
  }
  return certificate.toString()
}

/** Returns each certificate of a text that `normaliseCertificates` returned. */
export function certificatesOf(stored: string): string[] {
  return stored
    .split(pemStart)
    .slice(1)
    .map((part) => pemStart + part)
}

function readCertificate(text: string): X509Certificate | null {
  const base64 = text.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null
  try {
    const der = Buffer.from(base64, 'base64')
    const certificate = new X509Certificate(der)
    return certificate.raw.length === der.length ? certificate : null
  } catch {
    return null
  }
}
