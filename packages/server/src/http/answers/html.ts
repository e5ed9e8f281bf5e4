import { createHash } from 'node:crypto'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const htmlType = 'text/html; charset=utf-8'

/** Escapes text for use in an HTML element or in a quoted attribute. */
export function escapeHtml(text = ''): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/**
 * Returns the security headers of an HTML page. The page can load only the inline style `style`. If `scripts` is set, the page
 * can also load scripts from its own origin. With `look`, it can load what `dashboardLook` needs: scripts, style sheets, fonts and
 * images of its own origin. `formAction` decides whether forms can be sent to the own origin of the page (`'self'`) or nowhere
 * (`'none'`).
 */
export function pageHeaders(
  style: string,
  { formAction, scripts, look }: { formAction: "'none'" | "'self'"; scripts?: "'self'"; look?: true },
): Record<string, string> {
  const styleHash = createHash('sha256').update(style).digest('base64')
  const scriptSource = scripts || look ? `script-src 'self'; ` : ''
  const lookSources = look ? `font-src 'self'; img-src 'self'; ` : ''
  const styleSource = look ? `'self' 'sha256-${styleHash}'` : `'sha256-${styleHash}'`
  return {
    'content-security-policy': `default-src 'none'; ${scriptSource}${lookSources}style-src ${styleSource}; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  }
}
