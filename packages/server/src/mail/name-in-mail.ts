import { furtherMarks } from '@mandate/contract/words/escape-hidden'

/**
 * Returns the form in which mails show a name that a person, an agent or an edge wrote. The result is one line without links,
 * addresses or invisible characters, with at most `length` characters. Returns `fallback` if nothing remains. Every name in a
 * mail must pass through this function, because mail programs turn any text that looks like a link into a link.
 */
export function nameInMail(text: string, fallback: string, length = 60): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/[\p{C}\p{Z}\s\u2800]+/gu, ' ')
    .replaceAll(furtherMarks, '')
    .replaceAll(/[\p{L}][\p{L}\p{N}+.-]*:\/\/\S*/gu, '')
    .replaceAll(/\bwww\.\S*/giu, '')
    .replaceAll(/\S*@\S*/gu, '')
    .replaceAll(/\b(?:mailto|tel|sms|data|javascript|file):(?=\S)/giu, '')
    // A link without a scheme, such as example.com/x, can only be recognized by its dots.
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

/**
 * Replaces the dots inside a word by spaces, so that a mail program does not turn the word into a link. A version number such
 * as 2.0 stays unchanged.
 */
function withoutInnerDots(word: string): string {
  return /^v?\d+\.\d+$/i.test(word) ? word : word.replaceAll(/[.。](?=[^.。])/gu, ' ')
}
