import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Part of `npm run lint`: fails on archaic words in comments, string literals (error texts, test titles) and Markdown.
 * Takes paths to check instead of the whole repository. Prints `file:line: word` and exits with 1 if it finds a word.
 */

/** Words with almost no use in plain English. Each one has a modern alternative, so there is no way to silence a line. */
const archaicWords = [
  'albeit',
  'anew',
  'as ever',
  'begun',
  'but for',
  'goes by',
  'henceforth',
  'hitherto',
  'in vain',
  'is none',
  'lest',
  'of late',
  'thereof',
  'therein',
  'unless told',
  'whence',
  'whoever',
  'whomever',
]

const pattern = new RegExp(`\\b(?:${archaicWords.join('|').replaceAll(' ', '\\s+')})\\b`, 'gi')
const stringLiteral = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g

const given = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', '--', ...given], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:md|ts|js)$/.test(file) && !/CHANGELOG\.md$|\.generated\.ts$|check-words\.ts$/.test(file))

const found = files.flatMap(wordsIn)
for (const line of found) console.error(line)
if (found.length > 0) {
  console.error(`\n${found.length} archaic words. Rewrite the sentences: subject, verb, object.`)
  process.exitCode = 1
}

function wordsIn(file: string): string[] {
  const isProse = file.endsWith('.md')
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const text = isProse ? line : proseOf(line)
      return [...text.matchAll(pattern)].map(([word]) => `${file}:${index + 1}: ${word}`)
    })
}

/** The comment or the string literals of a line of code. */
function proseOf(line: string): string {
  if (/^\s*(?:\/\/|\/?\*)/.test(line)) return line
  const literals = line.match(stringLiteral) ?? []
  const [, comment = ''] = /\s\/\/ (.*)$/.exec(line) ?? []
  return `${literals.join(' ')} ${comment}`
}
