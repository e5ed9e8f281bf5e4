import { createHash } from 'node:crypto'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const htmlType = 'text/html; charset=utf-8'

/** Text as it may stand in an element or a quoted attribute. */
export function escapeHtml(text = ''): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/**
 * Headers of a page that uses this style alone, and no scripts unless `scripts` names a source. It loads nothing else, and posts
 * nowhere or to its own origin.
 */
export function pageHeaders(
  style: string,
  { formAction, scripts }: { formAction: "'none'" | "'self'"; scripts?: "'self'" },
): Record<string, string> {
  const styleHash = createHash('sha256').update(style).digest('base64')
  const scriptSource = scripts ? `script-src ${scripts}; ` : ''
  return {
    'content-security-policy': `default-src 'none'; ${scriptSource}style-src 'sha256-${styleHash}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  }
}
