import { escapeHtml } from '../answers/html.ts'
import { slug } from './describe-schema.ts'

/**
 * Renders a page of `docs/` as HTML: headings, paragraphs, lists, tables, code and links. Links to other pages of `docs/` become text, because the
 * server does not serve these pages.
 */
export function renderMarkdown(text: string): string {
  return blocksOf(text.split('\n')).join('\n')
}

const item = /^(?:-|\d+\.) /

function blocksOf(lines: readonly string[]): string[] {
  const blocks: string[] = []
  let at = 0
  const take = (isPart: (line: string) => boolean): string[] => {
    const from = at
    while (at < lines.length && isPart(lines[at]!)) at++
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at]!
    const heading = /^(#{1,4}) (.*)$/.exec(line)
    if (line.trim() === '') at++
    else if (heading) {
      at++
      blocks.push(headingOf(heading[1]!.length, heading[2]!))
    } else if (line.startsWith('```')) {
      at++
      blocks.push(`<pre><code>${escapeHtml(take((one) => !one.startsWith('```')).join('\n'))}</code></pre>`)
      at++
    } else if (line.startsWith('|')) blocks.push(tableOf(take((one) => one.startsWith('|'))))
    else if (item.test(line)) blocks.push(listOf(take((one) => item.test(one) || /^ +\S/.test(one))))
    else blocks.push(`<p>${inline(take((one) => one.trim() !== '' && !/^(?:```|#{1,4} |\|)/.test(one)).join(' '))}</p>`)
  }
  return blocks
}

const headingOf = (level: number, text: string) => `<h${level} id="${slug(text)}">${inline(text)}</h${level}>`

function listOf(lines: readonly string[]): string {
  const items: string[] = []
  for (const line of lines) {
    if (item.test(line)) items.push(line.replace(item, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  const tag = /^\d/.test(lines[0]!) ? 'ol' : 'ul'
  return `<${tag}>${items.map((one) => `<li>${inline(one)}</li>`).join('')}</${tag}>`
}

function tableOf([head = '', , ...rows]: readonly string[]): string {
  const cells = (row: string, tag: string) =>
    row
      .replace(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => `<${tag}>${inline(cell.trim().replaceAll('\\|', '|'))}</${tag}>`)
      .join('')
  return `<table><tr>${cells(head, 'th')}</tr>${rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')}</table>`
}

/** Code keeps its text: the other marks are found only outside of it. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : markedUp(part)))
    .join('')
}

function markedUp(text: string): string {
  return escapeHtml(text)
    .replaceAll(/\[([^\]]*)\]\(([^)\s]*)\)/g, (_, name: string, target: string) => linkOf(name, target))
    .replaceAll(/&lt;(https?:\/\/[^\s&]+)&gt;/g, (_, target: string) => linkOf(target, target))
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*\s][^*]*)\*/g, '<em>$1</em>')
}

function linkOf(name: string, target: string): string {
  return /^(?:https?:\/\/|#)/.test(target) ? `<a href="${target}">${name}</a>` : name
}
