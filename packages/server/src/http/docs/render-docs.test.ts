import { readFileSync } from 'node:fs'
import { endpoints } from '@mandate/contract/endpoints'
import { openApiDocument } from '@mandate/contract/openapi/openapi'
import { describe, expect, it } from 'vitest'
import { docsScriptPath, renderDocs } from './render-docs.ts'

const page = renderDocs(openApiDocument(endpoints))
const valuesOf = (attribute: string) =>
  [...page.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
const places = valuesOf('id')

describe('the page of the API', () => {
  it('has unique ids, and a target for every link', () => {
    expect(new Set(places).size).toBe(places.length)
    const links = valuesOf('href').filter((link) => link.startsWith('#'))
    expect(links.length).toBeGreaterThan(300)
    for (const link of links) expect(places).toContain(link.slice(1))
  })

  it.each(Object.keys(endpoints))('links to %s, and the target is inside the element that opens', (id) => {
    expect(page).toContain(`<li data-of="${id}"><a href="#${id}">`)
    expect(page).toMatch(
      new RegExp(`<details class="operation" data-id="${id}"><summary>.*</summary>\n<div id="${id}">`),
    )
  })

  it('loads only its own script and has no inline scripts or style attributes', () => {
    expect(page.match(/<script[^>]*>/g)).toEqual([`<script src="${docsScriptPath}" defer>`])
    expect(page).not.toMatch(/ (?:style|on\w+)=/)
    for (const address of [...valuesOf('src'), ...valuesOf('href')]) expect(address).toMatch(/^[#/](?!\/)/)
  })

  it('has a script that neither sends nor loads data', () => {
    const script = readFileSync(new URL('./script.js', import.meta.url), 'utf8')
    expect(script).not.toMatch(/fetch|XMLHttpRequest|import|WebSocket|sendBeacon|innerHTML|https?:/)
  })

  it('names the schema of every answer, and the fields that an answer has besides it', () => {
    const answers = [...page.matchAll(/<tr><td><b>\d+<\/b><\/td><td>.*?<\/td><td>(.*?)<\/td><\/tr>/g)]
    expect(answers.length).toBeGreaterThan(500)
    expect(answers.filter(([, type = '']) => /\bany\b/.test(type))).toEqual([])
    const [, operation = ''] = page.split('data-id="getPolicy"')
    expect(operation).toContain('<td><a href="#schema-policy">Policy</a>, with <code>names</code></td>')
    expect(operation.split('</details>')[0]).toContain('<h3>Fields of the answer</h3><table><tr><td><code>names</code>')
  })

  it('shows the fields of a request body, including nested ones, with their descriptions', () => {
    const [, operation = ''] = page.split('data-id="createRule"')
    expect(operation.slice(0, 8000)).toContain('<code>match.tools</code>')
    expect(operation.slice(0, 8000)).toContain('Tool patterns, 1 to 100, such as <code>mcp:files/*</code>.')
  })
})
