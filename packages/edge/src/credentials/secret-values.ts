import type { EdgeCredential } from '@mandate/contract/credentials'
import { CredentialMissing } from './server-secrets.ts'

/** Returns the value of a header for a credential that is no token of an authorization server. @throws CredentialMissing */
export function headerValue(credential: EdgeCredential, header: string): string {
  const { kind, config, secret } = credential
  switch (kind) {
    case 'bearer':
      requireAuthorization(credential, header)
      return `Bearer ${secret}`
    case 'basic':
      requireAuthorization(credential, header)
      return `Basic ${Buffer.from(`${config.username}:${secret}`, 'utf8').toString('base64')}`
    case 'header':
      if (config.header?.toLowerCase() === header.toLowerCase()) return secret
      throw new CredentialMissing(
        `the credential ${credential.name} is for the header ${config.header}, not for ${header}`,
      )
    default:
      throw new CredentialMissing(`the credential ${credential.name} has the kind ${kind}, which no header can have`)
  }
}

/** @throws CredentialMissing for a header in which servers expect no such credential */
export function requireAuthorization({ name, kind }: EdgeCredential, header: string): void {
  if (header.toLowerCase() === 'authorization') return
  throw new CredentialMissing(`the credential ${name} has the kind ${kind}, which is for the header Authorization only`)
}

/** Returns the value of an environment variable. @throws CredentialMissing */
export function variableValue({ name, kind, config, secret }: EdgeCredential, variable: string): string {
  if (kind !== 'environment')
    throw new CredentialMissing(`the credential ${name} has the kind ${kind}, which no variable can have`)
  if (config.variable !== variable)
    throw new CredentialMissing(`the credential ${name} is for the variable ${config.variable}, not for ${variable}`)
  return secret
}
