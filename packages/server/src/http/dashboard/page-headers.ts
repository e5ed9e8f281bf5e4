// The style that the component library adds to the page, for touch screens (`usePress` of React Aria). A test compares the hash with the
// library's style in the browser.
const styleOfLibrary = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': `'self' ${styleOfLibrary}`,
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  // No script of the dashboard makes a policy, so an injected one may not either.
  'trusted-types': "'none'",
}

/** The security headers of the dashboard. It loads nothing from other hosts, and runs no inline script. */
export const pageHeaders = {
  'content-security-policy': Object.entries(policy)
    .map(([name, value]) => `${name} ${value}`)
    .join('; '),
  'referrer-policy': 'no-referrer',
  // A page of another origin that opened the dashboard keeps no hold of its window.
  'cross-origin-opener-policy': 'same-origin',
}
