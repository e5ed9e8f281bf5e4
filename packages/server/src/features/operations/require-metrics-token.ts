import { timingSafeEqual } from 'node:crypto'
import { bearerToken } from '../../caller/bearer-token.ts'
import { Refusal } from '../../refusal.ts'
import { digest } from '../../security/credentials.ts'

/** @throws 401 unless the `Authorization` header has the metrics token. Without a configured token every request is refused. */
export function requireMetricsToken(expected: string | undefined, header: string | undefined): void {
  const sent = bearerToken(header)
  // Compares digests, because they always have the same length. So the time of the comparison reveals nothing about the token.
  if (expected !== undefined && sent !== null && timingSafeEqual(sent.digestBytes, digest(expected))) return
  throw new Refusal(401, 'the metrics token is required', { headers: { 'www-authenticate': 'Bearer' } })
}
