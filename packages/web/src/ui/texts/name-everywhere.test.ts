import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../..')
const filesOf = (folder: string): string[] =>
  readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))

/** `Name` itself, the parts of a foreign text, and two components that show hidden characters by themselves. */
const own = ['name', 'foreign-text', 'diff', 'tool-name'].map((part) => `ui/texts/${part}.tsx`)

it('every text that somebody chose is a Name, because a plain bdi does not show hidden characters', () => {
  const plain = filesOf('.')
    .filter((file) => file.endsWith('.tsx') && !own.includes(file))
    .filter((file) => readFileSync(join(source, file), 'utf8').includes('<bdi'))
  expect(plain).toEqual([])
})

const sentenceAsName = /<(?:Name\b[^`>]*>|ForeignText\b[^`>]* text=)\{`\$\{.*/g

it('a sentence is a Phrase, because a Name at its start would reverse the order of its words', () => {
  const sentences = filesOf('.')
    .filter((file) => file.endsWith('.tsx') && !own.includes(file))
    .flatMap((file) => readFileSync(join(source, file), 'utf8').match(sentenceAsName) ?? [])
  expect(sentences).toEqual([])
})

it('no text says a sentence twice in a row', () => {
  const twice = filesOf('.')
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => /([A-Z][^.'"`<>{}]{9,}\.) \1/.exec(readFileSync(join(source, file), 'utf8'))?.[1] ?? [])
  expect(twice).toEqual([])
})

/** An expression that is a child of an element, such as `{edge.name}` or `{conditionText(condition)}`. */
const chosen =
  /(?<![=$(])\{([\w.?]*(?:path|reason|description|comment|email|display_name|agent_name)|\w+\??\.(?:name|title)|(?:askedBy|conditionText|valueText)\([\w.]*\))\}/g

/** Names that the dashboard itself chose. */
const constant = ['pages/help/documentation.tsx: path', 'shell/frame/crumbs.tsx: parent.name']

it('names, reasons and conditions of rules are children of a Name or of another element that shows hidden characters', () => {
  const plain = filesOf('.')
    .filter((file) => file.endsWith('.tsx') && !own.includes(file))
    .flatMap((file) => {
      const text = readFileSync(join(source, file), 'utf8')
      return [...text.matchAll(chosen)]
        .filter(({ index }) => !/^<(?:Name|ForeignText|LongText)\b/.test(text.slice(text.lastIndexOf('<', index))))
        .map(([, expression]) => `${file}: ${expression}`)
    })
  expect(plain.filter((place) => !constant.includes(place))).toEqual([])
})
