import type { OpenApiDocument, OpenApiOperation } from '@mandate/contract/openapi/openapi'
import { escapeHtml, pageHeaders } from '../answers/html.ts'
import { describeType, markUp, rowsOf, slug, table } from './describe-schema.ts'
import { samplesOf } from './samples.ts'
import { style } from './style.ts'

/** The script of the page, for search, links and copying. Without it, the page still shows everything. */
export const docsScriptPath = '/docs/script.js'

type Schemas = OpenApiDocument['components']['schemas']

interface Operation {
  method: string
  path: string
  operation: OpenApiOperation
  /** The named schemas, by name. */
  schemas: Schemas
}

// The page is rendered here and not by one of the known viewers (Scalar, Stoplight Elements, RapiDoc). They set styles in a way
// that the page's content security policy blocks, and each of them adds 80 or more packages to every installation.
/**
 * Renders the API as one HTML page. The page loads only its own script. `basePath` is the path of the server's address, which the links begin with.
 */
export function renderDocs(document: OpenApiDocument, basePath = ''): string {
  const base = document.servers[0]?.url ?? ''
  const all = operationsOf(document, base)
  const sections = document.tags.map((tag) => ({
    ...tag,
    its: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const { title, version, description } = document.info as Record<string, string>
  const name = `${escapeHtml(title)} API`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} ${escapeHtml(version)}</title>
<style>${style}</style>
<script src="${basePath}${docsScriptPath}" defer></script>
<header><h1>${name} <small>${escapeHtml(version)}</small></h1>
${paragraphs(description)}
<p>As a document for tools: <a href="${basePath}${base}/openapi.json">openapi.json</a>. In the samples, <code>MANDATE_URL</code> is the address of the server and
<code>TOKEN</code> an API key, an access token, or for routes under <code>/edge</code> an agent key or edge key. <code>mandate</code> is a client of the SDK:</p>
<pre>import { createClient } from '@mandate/sdk/client'
import { apiKey } from '@mandate/sdk/credential'

const mandate = createClient({ url: process.env.MANDATE_URL, credential: apiKey(process.env.TOKEN) })</pre></header>
<nav aria-label="Operations"><div class="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search operations" autocomplete="off"><output id="found"></output></div>
${sections.map(renderLinks).join('\n')}
<p><a href="#schemas">Schemas</a></p></nav>
<main>
${sections.map(renderSection).join('\n')}
<section id="schemas"><h2>Schemas</h2>${Object.entries(document.components.schemas)
    .map(([of, schema]) => `<div id="schema-${slug(of)}"><h3>${escapeHtml(of)}</h3>${renderBody(schema)}</div>`)
    .join('\n')}</section>
</main>
</html>
`
}

function operationsOf({ paths, components: { schemas } }: OpenApiDocument, base: string): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      'operationId' in operation
        ? [{ method: method.toUpperCase(), path: 'servers' in item ? path : base + path, operation, schemas }]
        : [],
    ),
  )
}

interface Section {
  name: string
  description: string
  its: Operation[]
}

function renderLinks({ name, its }: Section): string {
  const links = its.map(
    ({ method, operation: { operationId: id, summary } }) =>
      `<li data-of="${id}"><a href="#${id}"><b class="${method}">${method}</b> ${escapeHtml(summary)}</a></li>`,
  )
  return `<p><a href="#${slug(name)}">${escapeHtml(name)}</a></p><ul>${links.join('')}</ul>`
}

function renderSection({ name, description, its }: Section): string {
  return `<section id="${slug(name)}"><h2>${escapeHtml(name)}</h2><p>${markUp(description)}</p>
${its.map(renderOperation).join('\n')}</section>`
}

/**
 * The id is on the content of the `details` element. A browser opens a closed `details` element only if the link's target is
 * inside it.
 */
function renderOperation(its: Operation): string {
  const { method, path, operation, schemas } = its
  const { operationId: id, summary, description, security, parameters = [], requestBody, responses } = operation
  const body = Object.values(requestBody?.content ?? {})[0]
  const example = Object.values(responses).flatMap(({ content = {} }) =>
    Object.values(content).flatMap((one) => ('example' in one ? [one.example] : [])),
  )[0]
  const parts = [
    `<p>${markUp(description)}</p>`,
    parameters.length > 0 && `<h3>Parameters</h3>${table(parameters.map(parameterRow))}`,
    body && `<h3>Body</h3>${renderBody(named(body.schema, schemas))}`,
    ...samplesOf(its).map(({ language, text }) => `<h3>${language}</h3><pre class="sample">${escapeHtml(text)}</pre>`),
    `<h3>Answers</h3>${table(Object.entries(responses).map(answerRow))}`,
    ...Object.values(responses).flatMap(({ content = {} }) => fieldsOf(Object.values(content)[0]?.schema)),
    example !== undefined &&
      `<h3>Example answer</h3><pre class="sample">${escapeHtml(JSON.stringify(example, null, 2))}</pre>`,
  ]
  const credential = security.length === 0 ? ' <i>no credential</i>' : ''
  return `<details class="operation" data-id="${id}"><summary><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span>${credential}</summary>
<div id="${id}"><p><a href="#${id}">Link to <code>${id}</code></a></p>${parts.filter(Boolean).join('\n')}</div></details>`
}

function parameterRow({ name, in: place, required, description, schema }: ParameterOf): string[] {
  return [
    `<code>${escapeHtml(name)}</code>`,
    `${place}${required ? '' : ', optional'}<br>${describeType(schema)}`,
    markUp(description),
  ]
}
type ParameterOf = NonNullable<OpenApiOperation['parameters']>[number]

function answerRow([status, { description, content = {} }]: [string, OpenApiOperation['responses'][string]]): string[] {
  const schema = Object.values(content)[0]?.schema
  return [`<b>${status}</b>`, markUp(description), schema ? describeType(schema) : '']
}

/** Renders the fields of a response that have no named schema. */
function fieldsOf(schema: Record<string, unknown> | undefined): string[] {
  const parts = (schema?.allOf ?? [schema ?? {}]) as Record<string, unknown>[]
  const rows = parts.flatMap((part) => rowsOf(part))
  return rows.length > 0 ? [`<h3>Fields of the answer</h3>${table(rows)}`] : []
}

/** Returns the named schema that a reference points to. Any other schema is returned unchanged. */
function named(schema: Record<string, unknown>, schemas: Schemas): Record<string, unknown> {
  const name = typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : ''
  return schemas[name] ?? schema
}

function renderBody(schema: Record<string, unknown>): string {
  const about = typeof schema.description === 'string' ? `<p>${markUp(schema.description)}</p>` : ''
  const rows = rowsOf(schema)
  return about + (rows.length > 0 ? table(rows) : `<p>${describeType(schema)}</p>`)
}

function paragraphs(text = ''): string {
  return text
    .split('\n\n')
    .map((part) => `<p>${markUp(part)}</p>`)
    .join('\n')
}

/** The page may load only its own style and script. */
export const docsHeaders: Record<string, string> = pageHeaders(style, { formAction: "'none'", scripts: "'self'" })
