import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { terms, unlinkedUse } from './first-use.ts'
import { anchorsOf } from './read-links.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (page: string) => readFileSync(join(root, page), 'utf8')

/** Tables that tests write or compare with test titles, and the glossary itself. */
const notGuides =
  /(access-matrix|conformance|audit-tampering|receipt-tampering|asvs|security|performance|glossary)\.md$/
const guides = ['README.md', ...globSync('docs/*.md', { cwd: root })].filter((page) => !notGuides.test(page))

test.each(guides)('%s links the terms of the glossary at their first use', (page) => {
  const markdown = read(page)
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? ''
  const unlinked = Object.entries(terms)
    // A page explains the terms of its title.
    .filter(([, pattern]) => !pattern.test(title))
    .flatMap(([anchor]) => unlinkedUse(markdown, anchor)?.text ?? [])
  expect(unlinked).toEqual([])
})

test('every term is in the glossary', () => {
  const anchors = anchorsOf(read('docs/glossary.md'))
  expect(Object.keys(terms).filter((anchor) => !anchors.has(anchor))).toEqual([])
})

test('finds a use before the link, or without a link, and ignores code, headings and other links', () => {
  const link = '[drift](glossary.md#drift)'
  expect(unlinkedUse(`A ${link}, and drift again`, 'drift')).toBeNull()
  expect(unlinkedUse(`Drift, and then ${link}`, 'drift')).toEqual({ index: 0, text: 'Drift' })
  expect(unlinkedUse('## Drift\n`drift` and [drift](reviews.md)\n', 'drift')).toBeNull()
})
