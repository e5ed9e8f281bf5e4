import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderMarkdown } from './render-markdown.ts'

it.each([
  ['## Two *words*', '<h2 id="two-words-">Two <em>words</em></h2>'],
  ['one\ntwo **three**', '<p>one two <strong>three</strong></p>'],
  ['- a `*b*`\n  goes on\n- c', '<ul><li>a <code>*b*</code> goes on</li><li>c</li></ul>'],
  ['1. *A*: b\n2. c', '<ol><li><em>A</em>: b</li><li>c</li></ol>'],
  ['```sh\ncall GET "/a" <b>\n```', '<pre><code>call GET &quot;/a&quot; &lt;b&gt;</code></pre>'],
  [
    '| a | b |\n|---|---|\n| `c` | d |',
    '<table><tr><th>a</th><th>b</th></tr><tr><td><code>c</code></td><td>d</td></tr></table>',
  ],
  ['<http://h:1>', '<p><a href="http://h:1">http://h:1</a></p>'],
  [
    '[out](https://h/a) [in](#a) [page](glossary.md#a)',
    '<p><a href="https://h/a">out</a> <a href="#a">in</a> page</p>',
  ],
  ['<script>x</script>', '<p>&lt;script&gt;x&lt;/script&gt;</p>'],
])('renders %j', (text, html) => expect(renderMarkdown(text)).toBe(html))

it('leaves no mark of Markdown in the guide', () => {
  const text = readFileSync(new URL('../../../../../docs/getting-started.md', import.meta.url), 'utf8')
  const html = renderMarkdown(text.replaceAll(/<!--[\s\S]*?-->\n/g, ''))
  const prose = html.replaceAll(/<(code|pre)>[\s\S]*?<\/\1>/g, '')
  expect(prose).not.toMatch(/\*\*|\]\(|`|^#|^\||^- /m)
})

it('ends for every text, and lets no element of the text through', () => {
  const word = fc.constantFrom(
    '# ',
    '- ',
    '1. ',
    '|',
    '```',
    '*',
    '**',
    '`',
    '[a](b)',
    '<b>',
    '\n',
    '\n\n',
    ' ',
    'x',
    '\\|',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      expect(renderMarkdown(words.join(''))).not.toContain('<b>')
    }),
  )
})
