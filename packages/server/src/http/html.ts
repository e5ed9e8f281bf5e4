import { createHash } from 'node:crypto'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const htmlType = 'text/html; charset=utf-8'

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text = ''): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/**
 * Security headers of a page. The page may use only this style, and scripts only from `scripts`. It loads nothing else. Its forms may be
 * sent nowhere, or only to its own origin.
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
