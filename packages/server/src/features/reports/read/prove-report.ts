import { hash } from 'node:crypto'
import type { SharedReport } from '@mandate/contract/reports/reports'
import { canonicalJson, contentHash } from '@mandate/proofs/canonical'
import { createLruCache } from '../../../memory/lru-cache.ts'
import type { SigningKey } from '../../../security/signing-key.ts'

/** The digest of a report and the service's signature on it. */
export interface ReportProof {
  /** SHA-256 of the RFC 8785 form of `{created_at, snapshot, title}`, in hex. */
  digest: string
  /** Base64 Ed25519 signature over the RFC 8785 form of `{digest, purpose: "report"}`. */
  signature: string
  kid: string
}

// The digests are cached because a report never changes. The RFC 8785 form of 500 agents costs 25 ms, and the holder of a share
// link may read the report often.
const digests = createLruCache<string>(1_000)

export function proveReport(report: SharedReport, key: Pick<SigningKey, 'kid' | 'sign'>): ReportProof {
  const digest = digestOf(report)
  return { digest, signature: key.sign(canonicalJson({ digest, purpose: 'report' })), kid: key.kid }
}

function digestOf({ created_at, snapshot, title }: SharedReport): string {
  const content = { created_at, snapshot, title }
  const name = hash('sha256', JSON.stringify(content))
  const digest = digests.get(name) ?? contentHash(content)
  digests.set(name, digest)
  return digest
}
