import { createHash } from 'node:crypto'
import type { SharedReport } from '@mandate/contract/reports'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { SigningKey } from '../../security/signing-key.ts'

/** The digest of a report and the service's signature on it. */
export interface ReportProof {
  /** SHA-256 of the RFC 8785 form of `{created_at, snapshot, title}`, in hex. */
  digest: string
  /** Base64 Ed25519 signature over the RFC 8785 form of `{digest, purpose: "report"}`. */
  signature: string
  kid: string
}

export function proveReport(
  { created_at, snapshot, title }: SharedReport,
  key: Pick<SigningKey, 'kid' | 'sign'>,
): ReportProof {
  const digest = createHash('sha256').update(canonicalJson({ created_at, snapshot, title })).digest('hex')
  return { digest, signature: key.sign(canonicalJson({ digest, purpose: 'report' })), kid: key.kid }
}
