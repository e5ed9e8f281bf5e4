import { readFileSync } from 'node:fs'
import { pageHeaders } from '../../http/answers/html.ts'
import { renderMarkdown } from '../../http/docs/render-markdown.ts'

const file = new URL('../../../../../docs/getting-started.md', import.meta.url)
/** The address that the guide shows. */
const shownAddress = 'http://127.0.0.1:8080'

const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #383838); --soft: light-dark(#f6f6f4, #222) }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1.5rem }
code { font-size: .9em; background: var(--soft); padding: .1em .25em; border-radius: 3px; overflow-wrap: anywhere }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: 6px; overflow: auto } pre code { padding: 0 }
table { border-collapse: collapse } th, td { border-top: 1px solid var(--line); padding: .3rem 1rem .3rem 0; text-align: start }`

export const gettingStartedHeaders = pageHeaders(style, { formAction: "'none'" })

let guide: string | undefined

/** Returns the guide for getting started as a page that shows the address of this server. The file is read only once. */
export function gettingStartedPage(publicUrl: string): string {
  // The comments contain only commands for tests.
  guide ??= readFileSync(file, 'utf8').replaceAll(/<!--[\s\S]*?-->\n/g, '')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Getting started with Mandate</title>
<style>${style}</style>
<main>
${renderMarkdown(guide.replaceAll(shownAddress, publicUrl))}
</main>
</html>
`
}
