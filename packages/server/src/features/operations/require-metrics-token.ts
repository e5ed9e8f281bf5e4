import { timingSafeEqual } from 'node:crypto'
import { bearer } from '../../http/authenticate.ts'
import { GateRefusal } from '../../http/errors.ts'
import { digest } from '../../security/credentials.ts'

/** @throws 401 unless the `Authorization` header has the metrics token. Without a configured token every request is refused. */
export function requireMetricsToken(expected: string | undefined, header: string | undefined): void {
  const sent = bearer(header)
  // Digests are of one length, so the time to compare them tells nothing.
  if (expected !== undefined && sent !== null && timingSafeEqual(digest(sent), digest(expected))) return
  throw new GateRefusal(401, 'the metrics token is required', false, { 'www-authenticate': 'Bearer' })
}
