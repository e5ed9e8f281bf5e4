/** Returns the path of this site that a link names, or `/`. A link to another site is not followed. */
export function localPath(next: string | undefined): string {
  if (next === undefined) return '/'
  const url = URL.parse(next, 'https://here.invalid')
  if (url?.origin !== 'https://here.invalid' || !next.startsWith('/')) return '/'
  // Dots in a path are resolved, so `/..//host` becomes `//host`, which a browser reads as another site.
  return url.pathname.startsWith('//') ? '/' : url.pathname + url.search + url.hash
}
