import type { Endpoint } from './endpoint.ts'

const kib = 1024
const publicBytes = 16 * kib
const authenticatedBytes = 1024 * kib

/** Maximum body size of an endpoint in bytes. The default is 1 MiB, or 16 KiB for endpoints without a credential. */
export function maxBodyBytes(endpoint: Pick<Endpoint, 'access' | 'bodyLimitBytes'>): number {
  return endpoint.bodyLimitBytes ?? (endpoint.access.by === 'public' ? publicBytes : authenticatedBytes)
}

/** Returns the error text for a body that is larger than the limit, such as `the body is larger than 16 KiB`. */
export function bodyTooLarge(limitBytes: number): string {
  const size = limitBytes >= 1024 * kib ? `${limitBytes / (1024 * kib)} MiB` : `${limitBytes / kib} KiB`
  return `the body is larger than ${size}`
}
