import { readFileSync } from 'node:fs'
import { endpoints } from '@mandate/contract/endpoints'
import { openApiDocument } from '@mandate/contract/openapi'
import { describe, expect, it } from 'vitest'
import { docsScriptPath, renderDocs } from './render-docs.ts'

const page = renderDocs(openApiDocument(endpoints))
const valuesOf = (attribute: string) =>
  [...page.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
const places = valuesOf('id')

describe('the page of the API', () => {
  it('has one place for each id, and a place for each link', () => {
    expect(new Set(places).size).toBe(places.length)
    const links = valuesOf('href').filter((link) => link.startsWith('#'))
    expect(links.length).toBeGreaterThan(300)
    for (const link of links) expect(places).toContain(link.slice(1))
  })

  it.each(Object.keys(endpoints))('has a link to %s, whose place is inside the element that opens', (id) => {
    expect(page).toContain(`<li data-of="${id}"><a href="#${id}">`)
    expect(page).toMatch(
      new RegExp(`<details class="operation" data-id="${id}"><summary>.*</summary>\n<div id="${id}">`),
    )
  })

  it('loads nothing but its own script, and has no script and no style of an element in it', () => {
    expect(page.match(/<script[^>]*>/g)).toEqual([`<script src="${docsScriptPath}" defer>`])
    expect(page).not.toMatch(/ (?:style|on\w+)=/)
    for (const address of [...valuesOf('src'), ...valuesOf('href')]) expect(address).toMatch(/^[#/](?!\/)/)
  })

  it('has a script that sends and loads nothing', () => {
    const script = readFileSync(new URL('./script.js', import.meta.url), 'utf8')
    expect(script).not.toMatch(/fetch|XMLHttpRequest|import|WebSocket|sendBeacon|innerHTML|https?:/)
  })

  it('shows the fields of a body where it is sent, those inside of it too, with what they mean', () => {
    const [, operation = ''] = page.split('data-id="createRule"')
    expect(operation.slice(0, 8000)).toContain('<code>match.tools</code>')
    expect(operation.slice(0, 8000)).toContain('Tool patterns, 1 to 100, such as <code>mcp:files/*</code>.')
  })
})
