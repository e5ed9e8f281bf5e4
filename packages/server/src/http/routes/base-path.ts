/** Returns the path of `publicUrl`, without a slash at its end. Empty if browsers reach the server at the root of its host. */
export const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, '')

/**
 * Returns the URL of a request without the path of `publicUrl`. A proxy may remove this path or keep it; the server answers both in the same way.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest === '') return '/'
  return rest.startsWith('/') ? rest : rest.startsWith('?') ? `/${rest}` : url
}
