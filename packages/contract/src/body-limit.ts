import type { Endpoint } from './endpoint.ts'

const kib = 1024
const publicBytes = 16 * kib
const authenticatedBytes = 1024 * kib

/** The longest body of an endpoint, in bytes: 16 KiB without a credential, 1 MiB with one, unless the endpoint names another limit. */
export function maxBodyBytes(endpoint: Pick<Endpoint, 'access' | 'bodyLimitBytes'>): number {
  return endpoint.bodyLimitBytes ?? (endpoint.access.by === 'public' ? publicBytes : authenticatedBytes)
}

/** What a longer body is told, such as `the body is larger than 16 KiB`. */
export function bodyTooLarge(limitBytes: number): string {
  const size = limitBytes >= 1024 * kib ? `${limitBytes / (1024 * kib)} MiB` : `${limitBytes / kib} KiB`
  return `the body is larger than ${size}`
}
