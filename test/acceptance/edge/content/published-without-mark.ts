/**
 * Published attacks without a mark, by id, with the reason. They were read one by one. The other published attacks count as marked, also if a
 * damaged letter hides the mark.
 */
export const publishedWithoutMark: Readonly<Record<string, string>> = {
  RA011: 'Morse code',
  RA013: 'shifted letters',
  RA015: 'a suggestion about the result of a function',
  RA029: 'a hypothesis about the result of a function',
  RA036: 'a story about the result of a function',
}
