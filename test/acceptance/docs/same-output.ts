/**
 * What differs from one run to the next, and the word that takes its place in both texts. In addition, `…` in a page stands for
 * any text, and for any lines where it is alone on a line.
 */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, '<time>'],
  [/\b(mk|ak|ek)_[0-9a-f]{64}\b/g, '$1_<key>'],
  [/\bmk_[0-9a-f]{5}\b/g, 'mk_<prefix>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/(["'])[0-9a-f]{16}\1/g, '$1<key id>$1'],
  [/[A-Za-z0-9+/]{86}==/g, '<signature>'],
  [/\d+ files, \d+ bytes/g, '<size>'],
  [/\/[\w./-]*mandate-(demo|acceptance)-\w{6}/g, '<folder>'],
  [/https?:\/\/(mandate\.example\.com|127\.0\.0\.1:\d+)/g, '<address>'],
  [/\bcurl\/[\d.]+/g, 'curl/<version>'],
  [/\bv?\d+(\.\d+)? (ms|s)\b/g, '<duration>'],
  [/(?<=\S) {2,}/g, '  '],
]

/** A text with the words of `varying` for what varies. */
export function steady(text: string): string {
  return varying
    .reduce((result, [pattern, word]) => result.replaceAll(pattern, word), text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}

/** Whether a program printed what a page shows. Both texts are `steady`. */
export function isSameOutput(shown: string, printed: string): boolean {
  const lines = shown.split('\n').map((line) => (line.trim() === '…' ? '(?:.*\n)*?' : `${lineAsPattern(line)}\n`))
  return new RegExp(`^${lines.join('')}$`).test(`${printed}\n`)
}

const lineAsPattern = (line: string) => line.split('…').map(escaped).join('.*')

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
