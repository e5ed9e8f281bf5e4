import { escapeHtml, pageHeaders } from '../../http/html.ts'
import type { Page, Part } from './page-texts.ts'

const links = [
  ['/', 'Start page'],
  ['/getting-started', 'First steps'],
  ['/docs', 'API reference'],
  ['/healthz', 'Health'],
] as const

/** Renders a page as HTML. It has no script, loads nothing, and contains no text of the request. */
export function renderPage({ title, parts }: Page): string {
  const navigation = links.map(([href, text]) => `<a href="${href}">${text}</a>`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${parts.map(renderPart).join('\n')}
</main>
<nav>${navigation.join(' ')}</nav>
</html>
`
}

const renderPart = (part: Part) =>
  typeof part === 'string' ? `<p>${escapeHtml(part)}</p>` : `<pre>${escapeHtml(part.commands)}</pre>`

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem; color: #111; background: #fff }
h1 { font-size: 1.5rem } pre { background: #f4f4f2; padding: .75rem 1rem; overflow-x: auto; font-size: .875rem }
nav { margin-top: 2.5rem; border-top: 1px solid #ccc; padding-top: .75rem } nav a { margin-right: 1.25rem }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616 } pre { background: #262626 } a { color: #9cf } }`

/** The page may use its own style sheet and nothing else. */
export const headersOfPage = pageHeaders(style, { formAction: "'none'" })
