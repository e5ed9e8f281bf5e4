/**
 * A name that a person, an agent or an edge wrote, as a mail shows it: on one line, without links, addresses and invisible
 * characters, and with at most `length` characters. `fallback` stands for a name of which nothing remains.
 * Every mail passes every name through this function: a mail program turns anything that looks like a link into one.
 */
export function nameInMail(text: string, fallback: string, length = 60): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replaceAll(/[\p{L}][\p{L}\p{N}+.-]*:\/\/\S*/gu, '')
    .replaceAll(/\bwww\.\S*/giu, '')
    .replaceAll(/\S*@\S*/gu, '')
    .replaceAll(/\b(?:mailto|tel|sms|data|javascript|file):(?=\S)/giu, '')
    // A link without a scheme, such as example.com/x, is one by its dots.
    .replaceAll(/\/\/|\\/g, ' ')
    .replaceAll(/\S+/gu, withoutInnerDots)
    .replaceAll(/ +/g, ' ')
    .trim()
  const characters = [...plain]
  if (characters.length === 0) return fallback
  return characters.length > length
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : plain
}

/** A version number such as 2.0 keeps its dot. */
function withoutInnerDots(word: string): string {
  return /^v?\d+\.\d+$/i.test(word) ? word : word.replaceAll(/[.。](?=[^.。])/gu, ' ')
}
