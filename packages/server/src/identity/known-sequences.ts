import { withLetters } from './common-passwords.ts'
import { withoutSeparators } from './simple-order.ts'

/** Words in an order that people know. */
const words = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  'ten twenty thirty forty fifty sixty seventy eighty ninety hundred',
  'first second third fourth fifth sixth seventh eighth ninth tenth',
  'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn',
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince',
  'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici',
  'zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze',
  'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien',
  'zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć',
  'ноль один два три четыре пять шесть семь восемь девять десять',
  'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv xxvi xxvii xxviii xxix xxx',
].map((list) => list.split(' '))

const mostTerms = 60
const terms = (termAt: (index: number) => bigint) =>
  Array.from({ length: mostTerms }, (_, index) => String(termAt(index)))

function fibonacci(index: number): bigint {
  let [one, next] = [0n, 1n]
  for (let at = 0; at < index; at++) [one, next] = [next, one + next]
  return one
}

function primes(): string[] {
  const found: number[] = []
  for (let number = 2; found.length < mostTerms; number++)
    if (found.every((prime) => number % prime > 0)) found.push(number)
  return found.map(String)
}

const numbers = [
  ...[2n, 3n].map((exponent) => terms((index) => BigInt(index) ** exponent)),
  ...[2n, 3n, 5n].map((base) => terms((index) => base ** BigInt(index))),
  terms((index) => (BigInt(index) * BigInt(index + 1)) / 2n),
  terms(fibonacci),
  primes(),
]

const plain = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
const reversed = (text: string) => [...text].reverse().join('')

/** All sequences forwards, backwards, and written from the right to the left. */
const written = [...words, ...numbers]
  .flatMap((sequence) => [sequence.join(''), sequence.toReversed().join(''), reversed(sequence.join(''))])
  .map(plain)
  .join('\n')

/** A shorter part of a sequence is often a usual word or number. */
const leastLength = 8

/**
 * Returns true if at least nine tenths of the text are sequences that people know, such as `onetwothreefour`, `iiiiiiivvvivii` or the squares
 * `149162536496481`. A sequence may begin and end at any place. Separators do not count.
 */
export function isKnownSequence(text: string): boolean {
  return [plain(text), plain(withLetters(text))].some((form) => {
    const characters = withoutSeparators([...form])
    return outsideSequences(characters.join('')) <= characters.length / 10
  })
}

/** Counts the characters that are not in a part of a sequence. */
function outsideSequences(text: string): number {
  let outside = 0
  let at = 0
  while (at < text.length) {
    let end = at + leastLength
    if (end > text.length || !written.includes(text.slice(at, end))) {
      outside++
      at++
      continue
    }
    while (end < text.length && written.includes(text.slice(at, end + 1))) end++
    at = end
  }
  return outside
}
