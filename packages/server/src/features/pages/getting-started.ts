import { readFileSync } from 'node:fs'
import { pageHeaders } from '../../http/answers/html.ts'
import { dashboardLook } from '../../http/dashboard/dashboard-look.ts'
import { renderMarkdown } from '../../http/docs/render-markdown.ts'
import { basePathOf } from '../../http/routes/base-path.ts'

const file = new URL('../../../../../docs/getting-started.md', import.meta.url)
/** The address that the guide shows. */
const shownAddress = 'http://127.0.0.1:8080'

// The variables and the order of the layers are those of the dashboard.
const style = `
@layer pages {
  body { background: var(--surface); font-size: var(--text-14); line-height: var(--lead-16) }
  header, main { max-inline-size: 760px; margin-inline: auto; padding-inline: var(--sp-5) }
  header { padding-block: var(--sp-4); font-weight: var(--weight-head) }
  header a { text-decoration: none }
  main { padding-block-end: var(--sp-8) }
  h1 { margin-block: var(--sp-6) var(--sp-5); font-size: var(--text-22); line-height: var(--lead-22); letter-spacing: -0.014em }
  h2 { margin-block: var(--sp-7) var(--sp-4); padding-block-end: var(--sp-3); border-block-end: 1px solid var(--line); font-size: var(--text-16); font-weight: var(--weight-head) }
  h3 { margin-block: var(--sp-6) var(--sp-3); font-weight: var(--weight-head) }
  p, pre, ul, ol, table { margin-block-end: var(--sp-4) }
  ul, ol { padding-inline-start: var(--sp-6) }
  ul { list-style: disc }
  ol { list-style: decimal }
  li { margin-block-end: var(--sp-2) }
  code { overflow-wrap: anywhere }
  pre { padding: var(--sp-4); border: 1px solid var(--line); border-radius: var(--radius-box); background: var(--sunken); white-space: pre-wrap }
  th, td { padding: var(--sp-2) var(--sp-5) var(--sp-2) 0; border-block-end: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
  th { color: var(--ink-3); font-size: var(--text-12) }
}`

export const gettingStartedHeaders = pageHeaders(style, { formAction: "'none'", look: true })

/** The pages by the address that they show. A process has one address, and a test run several. */
const pages = new Map<string, string>()

/** Returns the guide for getting started as a page that shows the address of this server, with the look of the dashboard. */
export function gettingStartedPage(publicUrl: string): string {
  const page = pages.get(publicUrl) ?? renderPage(publicUrl)
  pages.set(publicUrl, page)
  return page
}

function renderPage(publicUrl: string): string {
  // The comments contain only commands for tests.
  const guide = readFileSync(file, 'utf8').replaceAll(/<!--[\s\S]*?-->\n/g, '')
  const basePath = basePathOf(publicUrl)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Getting started with Mandate</title>
${dashboardLook(basePath)}
<style>${style}</style>
<header><a href="${basePath}/">Mandate</a></header>
<main>
${renderMarkdown(guide.replaceAll(shownAddress, publicUrl))}
</main>
</html>
`
}
