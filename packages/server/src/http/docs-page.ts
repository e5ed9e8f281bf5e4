import type { OpenApiDocument, OpenApiOperation } from '@mandate/contract/openapi'
import { escapeHtml, pageHeaders } from './html.ts'

type Schema = Record<string, unknown>

/** The interface as one self-contained page: no script, nothing loaded from anywhere. */
export function renderDocs(document: OpenApiDocument): string {
  const base = document.servers[0]?.url ?? ''
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: 'servers' in item ? path : base + path,
        operation: operation as OpenApiOperation,
      })),
  )
  const sections = document.tags.map(({ name }) => ({
    name,
    its: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const { title, version, description } = document.info as Record<string, string>
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} API ${escapeHtml(version)}</title>
<style>${style}</style>
<header><h1>${escapeHtml(title)} API <small>${escapeHtml(version)}</small></h1><p>${escapeHtml(description)}</p>
<p>Send an API key or an access token as <code>Authorization: Bearer …</code>. As a document for tools: <a href="${base}/openapi.json">openapi.json</a>.</p></header>
<nav>${sections.map(({ name }) => `<a href="#${slug(name)}">${escapeHtml(name)}</a>`).join(' ')} <a href="#shapes">Shapes</a></nav>
<main>
${sections.map(({ name, its }) => `<section id="${slug(name)}"><h2>${escapeHtml(name)}</h2>${its.map(renderOperation).join('')}</section>`).join('\n')}
<section id="shapes"><h2>Shapes</h2>${Object.entries(document.components.schemas).map(renderNamed).join('')}</section>
</main>
</html>
`
}

function renderOperation({ method, path, operation }: { method: string; path: string; operation: OpenApiOperation }) {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const credential = operation.security.length === 0 ? '<i>no credential</i>' : ''
  return `<details id="${operation.operationId}"><summary><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(operation.summary)}</span> ${credential}</summary>
${operation.description ? `<p>${code(operation.description)}</p>` : ''}
${operation.parameters ? `<h3>Parameters</h3>${table(operation.parameters.map(({ name, in: place, required, schema }) => [`<code>${escapeHtml(name)}</code>`, `${place}${required ? '' : ', optional'}`, describe(schema)]))}` : ''}
${body ? `<h3>Body</h3>${renderSchema(body)}` : ''}
<h3>Answers</h3>${table(
    Object.entries(operation.responses).map(([status, response]) => {
      const schema = Object.values(response.content ?? {})[0]?.schema
      return [`<b>${status}</b>`, code(response.description), schema ? describe(schema) : '']
    }),
  )}</details>`
}

function renderNamed([name, schema]: [string, Schema]): string {
  return `<div id="shape-${slug(name)}"><h3>${escapeHtml(name)}</h3>${renderSchema(schema)}</div>`
}

function renderSchema(schema: Schema): string {
  const properties = schema.properties as Record<string, Schema> | undefined
  if (!properties) return `<p>${describe(schema)}</p>`
  const required = (schema.required ?? []) as string[]
  return table(
    Object.entries(properties).map(([name, its]) => [
      `<code>${escapeHtml(name)}</code>`,
      required.includes(name) ? '' : 'optional',
      describe(its),
    ]),
  )
}

/** A schema in a few words. */
function describe(schema: Schema): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return `<a href="#shape-${slug(name)}">${escapeHtml(name)}</a>`
  }
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return choices.map(describe).join(' or ')
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' | ')
  if (schema.const !== undefined) return `<code>${escapeHtml(String(schema.const))}</code>`
  if (schema.type === 'array') return `list of ${describe((schema.items ?? {}) as Schema)}`
  const properties = schema.properties as Record<string, Schema> | undefined
  if (properties) {
    const fields = Object.entries(properties).map(([name, its]) => `${escapeHtml(name)}: ${describe(its)}`)
    return `{ ${fields.join(', ')} }`
  }
  const words = [String(schema.format ?? schema.type ?? 'any'), rangeOf(schema)].filter(Boolean).join(', ')
  return escapeHtml(words) + (schema.description ? ` — ${code(String(schema.description))}` : '')
}

function rangeOf(schema: Schema): string {
  const from = schema.minLength ?? schema.minimum
  const to = schema.maxLength ?? schema.maximum
  const unit = schema.type === 'string' ? ' characters' : ''
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`
  if (to !== undefined) return `at most ${to}${unit}`
  return from === undefined ? '' : `at least ${from}${unit}`
}

function table(rows: string[][]): string {
  return `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`
}

const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
const code = (text: string) => escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')

const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #383838); --soft: light-dark(#f6f6f4, #222); --quiet: light-dark(#666, #aaa) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1.5rem }
h1 small, summary span, td:nth-child(2) { color: var(--quiet); font-weight: normal }
h2 { margin-top: 2.5rem } h3 { font-size: 1rem; margin: 1rem 0 .3rem }
nav { position: sticky; top: 0; padding: .6rem 0; background: Canvas; border-bottom: 1px solid var(--line) }
nav a { margin-right: .8rem }
details, section > div { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .5rem .8rem }
summary { cursor: pointer } details[open] > summary { margin-bottom: .5rem }
code { font-size: .9em; background: var(--soft); padding: .1em .25em; border-radius: 3px; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% } td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top }
summary b { display: inline-block; min-width: 4.2rem } .GET { color: light-dark(#0a6, #4c9) } .DELETE { color: light-dark(#b22, #f77) }
.POST, .PUT, .PATCH { color: light-dark(#05a, #7af) }`

/** The page may use its own style and nothing else. */
export const docsHeaders: Record<string, string> = pageHeaders(style, { formAction: "'none'" })
