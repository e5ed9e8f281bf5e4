import { hasHidden, visibleText } from '../hidden-characters.ts'

/** Letters that are written from right to left. */
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
const isolates = /[\u2066-\u2069]/

/**
 * A name that somebody chose, for the middle of a sentence. The name is between two characters that isolate its direction if its letters could
 * change the order of the words around it. A name cannot end its own isolation. Show the sentence with `Phrase`.
 */
export const isolated = (name: string) =>
  rightToLeft.test(name) || hasHidden(name) ? `\u2068${isolates.test(name) ? visibleText(name) : name}\u2069` : name

/** Splits a sentence at the isolated names. Each second part is a name. */
export const partsOf = (sentence: string) => sentence.split(/\u2068([^\u2066-\u2069]*)\u2069/)
