// Characters that look like ASCII.

/** Ranges of characters that Unicode calls another form of an ASCII character: letters, digits and signs in other styles. */
const styled: readonly (readonly [first: number, last: number])[] = [
  [0xaa, 0xba],
  [0x17f, 0x17f],
  [0x2b0, 0x2e3],
  [0x1d2c, 0x1d6a],
  [0x2024, 0x2024],
  [0x2070, 0x209c],
  [0x2100, 0x217f],
  [0x2460, 0x24ea],
  [0x2c7c, 0x2c7d],
  [0xa7f2, 0xa7f4],
  [0xfe4d, 0xfe6b],
  [0xff01, 0xff5e],
  [0x1d400, 0x1d7ff],
  [0x1f100, 0x1f1ff],
  [0x1fbf0, 0x1fbf9],
]
/** Letters and digits in the order of ASCII, for which Unicode names no ASCII character: the first one, and what they look like. */
const inOrder: readonly (readonly [first: number, ascii: string])[] = [
  ...[0x1f150, 0x1f170, 0x1f1e6].map((first) => [first, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'] as const),
  ...[0x24f5, 0x2776, 0x2780, 0x278a].map((first) => [first, '123456789'] as const),
  ...[0x24ff, 0x1f10b, 0x1f10c].map((first) => [first, '0'] as const),
]
/** Small capitals, letters of phonetic alphabets, and signs. */
const alone = {
  ...{
    a: 'ᴀɑ',
    b: 'ʙ',
    c: 'ᴄ',
    d: 'ᴅ',
    e: 'ᴇ℮',
    f: 'ꜰƒ',
    g: 'ɢɡ',
    h: 'ʜ',
    i: 'ɪɩı',
    j: 'ᴊȷ',
    k: 'ᴋ',
    l: 'ʟǀ',
    m: 'ᴍ',
    n: 'ɴ',
  },
  ...{ o: 'ᴏ', p: 'ᴘ', q: 'ꞯ', r: 'ʀᴦ', s: 'ꜱ', t: 'ᴛ', u: 'ᴜ', v: 'ᴠ', w: 'ᴡ', y: 'ʏ', z: 'ᴢ' },
  ...{ '-': '‐‑−⁃', ':': '꞉∶', '/': '∕⁄' },
}
/** Letters of other scripts. They are read as ASCII only in a word that also has letters of ASCII. */
const ofScripts = {
  ...{
    a: 'аα',
    b: 'ь',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еҽ',
    f: 'ϝ',
    g: 'ց',
    h: 'һհ',
    i: 'іι',
    j: 'јϳ',
    k: 'кκ',
    l: 'ӏ',
    m: 'м',
    n: 'пո',
  },
  ...{ o: 'оοօσ', p: 'рρ', q: 'ԛգ', r: 'г', s: 'ѕ', t: 'тτ', u: 'υս', v: 'νѵ', w: 'ԝѡ', x: 'хχ', y: 'уγү' },
  ...{
    A: 'АΑ',
    B: 'ВΒ',
    C: 'СϹ',
    E: 'ЕΕ',
    H: 'НΗ',
    I: 'ІΙӀ',
    J: 'ЈͿ',
    K: 'КΚ',
    M: 'МΜ',
    N: 'Ν',
    O: 'ОΟՕ',
    P: 'РΡ',
    Q: 'Ԛ',
  },
  ...{ S: 'ЅՏ', T: 'ТΤ', U: 'Ս', W: 'Ԝ', X: 'ХΧ', Y: 'ҮΥ', Z: 'Ζ' },
}

const pairsOf = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([ascii, others]) => [...others].map((other) => [other, ascii] as const))

/** Also reads `⒜` as `a` and `⒈` as `1`. */
const asciiForm = /^\(?([!-~])[).,]?$/

function* styledPairs(): Generator<readonly [string, string]> {
  for (const [first, last] of styled) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      const ascii = asciiForm.exec(character.normalize('NFKC'))?.[1]
      if (ascii !== undefined) yield [character, ascii]
    }
  }
  for (const [first, letters] of inOrder)
    for (const [index, ascii] of [...letters].entries()) yield [String.fromCodePoint(first + index), ascii]
}

/** The characters that look like ASCII in every text, with the ASCII character. */
export const alwaysAlike: ReadonlyMap<string, string> = new Map([...styledPairs(), ...pairsOf(alone)])
/** The letters that look like ASCII in a word with letters of ASCII, with the ASCII letter. */
export const alikeInWords: ReadonlyMap<string, string> = new Map(pairsOf(ofScripts))
/** The content of a class with the alphabets of `alikeInWords`: Greek, Cyrillic and Armenian. */
export const otherScripts = '\\u{370}-\\u{58f}'
