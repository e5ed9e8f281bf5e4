const browsers: [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

/**
 * Returns the kind of program that a `User-Agent` header names: a browser, or the first product with its version, such as
 * `curl/8.5.0`. Returns `none` without a header and `other` for anything else. The result has at most 40 characters. The rest
 * of the header is dropped, because clients can put any text there.
 */
export function userAgentFamily(header: string | undefined): string {
  if (!header) return 'none'
  if (header.startsWith('Mozilla/')) return browsers.find(([pattern]) => pattern.test(header))?.[1] ?? 'other'
  const product = /^([A-Za-z][A-Za-z0-9._-]{0,23})(?:\/(\d[0-9.]{0,14})(?![0-9A-Za-z]))?(?=[\s/;(,]|$)/.exec(header)
  if (!product) return 'other'
  return product[2] === undefined ? (product[1] as string) : `${product[1]}/${product[2]}`
}
