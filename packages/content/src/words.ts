import type { Span } from './definition.ts'
import { type FoldedText, foldedCode } from './folded-text.ts'

const root = 0

/**
 * Finds words and phrases in any letter case, not as a part of longer words. A phrase may go on in the next line. It is the automaton of Aho
 * and Corasick: it reads each character of a text once, however the words and the text look.
 */
export class WordSearch {
  /** The number of each character that a word has, from 1. */
  private readonly symbols = new Map<number, number>()
  /** Where a character leads from a node. The key is made of both. */
  private readonly edges = new Map<number, number>()
  /** The node of the longest suffix of a node that begins a word. */
  private readonly suffixes: Int32Array
  /** The length of the word that ends at a node. 0 if none does. */
  private readonly lengths: Int32Array
  /** The next shorter suffix of a node at which a word ends. */
  private readonly shorter: Int32Array

  constructor(words: readonly string[]) {
    const coded = words.map(foldedWord).filter((codes) => codes.length > 0)
    for (const code of coded.flat()) if (!this.symbols.has(code)) this.symbols.set(code, this.symbols.size + 1)
    const most = coded.reduce((sum, codes) => sum + codes.length, 1)
    this.suffixes = new Int32Array(most)
    this.lengths = new Int32Array(most)
    this.shorter = new Int32Array(most)
    this.build(coded)
  }

  /** Whether a text has one of the words. */
  isIn(text: FoldedText): boolean {
    let found = false
    this.walk(text, () => {
      found = true
      return false
    })
    return found
  }

  /** Returns the places of the words, in the order of the text. Of words that begin at one place, the longest counts. They do not overlap. */
  find(text: FoldedText): Span[] {
    let longest: Uint32Array | null = null
    this.walk(text, (start, length) => {
      longest ??= new Uint32Array(text.length)
      longest[start] = Math.max(longest[start] as number, length)
      return true
    })
    return longest === null ? [] : spansOf(text, longest)
  }

  /** Calls `onWord` for each word that a text has as a whole word, until it returns false. */
  private walk({ codes, isWord, length }: FoldedText, onWord: (start: number, length: number) => boolean): void {
    const { suffixes, lengths, shorter } = this
    let node = root
    for (let at = 0; at < length; at++) {
      const symbol = this.symbols.get(codes[at] as number)
      if (symbol === undefined) {
        node = root
        continue
      }
      let next = this.next(node, symbol)
      while (next === undefined && node !== root) {
        node = suffixes[node] as number
        next = this.next(node, symbol)
      }
      node = next ?? root
      if (isWord[at + 1] === 1) continue
      const first = lengths[node] === 0 ? (shorter[node] as number) : node
      for (let end = first; end !== root; end = shorter[end] as number) {
        const start = at + 1 - (lengths[end] as number)
        const isWhole = start === 0 || isWord[start - 1] === 0
        if (isWhole && !onWord(start, lengths[end] as number)) return
      }
    }
  }

  private next(node: number, symbol: number): number | undefined {
    return this.edges.get(node * (this.symbols.size + 1) + symbol)
  }

  private build(words: readonly (readonly number[])[]): void {
    const levels: { node: number; parent: number; symbol: number }[][] = []
    let nodes = 1
    for (const codes of words) {
      let node = root
      for (const [depth, code] of codes.entries()) {
        const symbol = this.symbols.get(code) as number
        let next = this.next(node, symbol)
        if (next === undefined) {
          next = nodes++
          this.edges.set(node * (this.symbols.size + 1) + symbol, next)
          levels[depth] ??= []
          levels[depth].push({ node: next, parent: node, symbol })
        }
        node = next
      }
      this.lengths[node] = codes.length
    }
    // The shortest first, because the suffix of a node is shorter than the node.
    for (const { node, parent, symbol } of levels.flat()) this.link(node, parent, symbol)
  }

  private link(node: number, parent: number, symbol: number): void {
    let suffix = root
    for (let at = parent; at !== root && suffix === root; ) {
      at = this.suffixes[at] as number
      suffix = this.next(at, symbol) ?? root
    }
    this.suffixes[node] = suffix
    this.shorter[node] = this.lengths[suffix] === 0 ? (this.shorter[suffix] as number) : suffix
  }
}

/**
 * Returns parts of a word that every text with the word has in lower case (`SearchedText.lower`). Only ASCII, because the lower case of other
 * letters depends on the letters around them.
 */
export function plainParts(word: string): string[] {
  const folded = String.fromCodePoint(...foldedWord(word))
  return folded.match(/[\x21-\x7e]{3,}/g) ?? []
}

function foldedWord(word: string): number[] {
  return [...word.trim().replace(/\s+/g, ' ')].map((character) => foldedCode(character.codePointAt(0) as number))
}

function spansOf({ starts, length }: FoldedText, longest: Uint32Array): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < length; ) {
    const size = longest[at] as number
    if (size > 0) spans.push({ start: starts[at] as number, end: starts[at + size] as number })
    at += Math.max(1, size)
  }
  return spans
}
